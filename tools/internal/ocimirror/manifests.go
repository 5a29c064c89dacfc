package ocimirror

import (
	"encoding/json"
	"errors"
	"fmt"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"rules_tf_mirror/tools/internal/foreign"
	"rules_tf_mirror/tools/internal/platforms"
)

// The types of R-NET-18.
const (
	indexArtifact   = "application/vnd.opentofu.provider"
	packageArtifact = "application/vnd.opentofu.provider-target"
	moduleArtifact  = "application/vnd.opentofu.modulepkg"
	layerType       = "archive/zip"
)

// maxManifest is the size in bytes above which a manifest is refused.
const maxManifest = 4 << 20

// errNoPlatform: the version exists, and not for this platform.
var errNoPlatform = errors.New("lists no package for this platform")

// parseIndex reads the manifest that a tag names. Errors continue the sentence "the tag X …".
func parseIndex(mediaType string, body []byte) (*ocispec.Index, error) {
	if mediaType == ocispec.MediaTypeImageManifest {
		return nil, errors.New("names one image; an index manifest with an image for each platform is wanted")
	}
	if mediaType != ocispec.MediaTypeImageIndex {
		return nil, fmt.Errorf("names a %q; an index manifest is wanted", foreign.Short(mediaType, 60))
	}
	var index ocispec.Index
	if err := json.Unmarshal(body, &index); err != nil {
		return nil, errors.New("names an index manifest that is not valid JSON")
	}
	switch index.ArtifactType {
	case indexArtifact:
		return &index, nil
	case moduleArtifact:
		return nil, errors.New("names a module of OpenTofu, not a provider")
	case "":
		return nil, errors.New("names an index manifest without an artifact type; is it a container image rather than a provider?")
	default:
		return nil, fmt.Errorf("names an artifact of type %q; %s is wanted", foreign.Short(index.ArtifactType, 60), indexArtifact)
	}
}

// choose picks the one image of a platform. Images for a certain release of an operating system are passed over, as OpenTofu does.
func choose(index *ocispec.Index, platform platforms.Platform) (ocispec.Descriptor, error) {
	var chosen []ocispec.Descriptor
	packages := 0
	for _, d := range index.Manifests {
		if d.ArtifactType != packageArtifact {
			continue
		}
		packages++
		switch {
		case d.MediaType != ocispec.MediaTypeImageManifest:
			return ocispec.Descriptor{}, fmt.Errorf("lists a package as %q; an image manifest is wanted", foreign.Short(d.MediaType, 60))
		case d.Platform == nil:
			return ocispec.Descriptor{}, errors.New("lists a package without a platform")
		case d.Platform.OSVersion == "" && d.Platform.OS == platform.OS && d.Platform.Architecture == platform.Arch:
			chosen = append(chosen, d)
		}
	}
	switch {
	case packages == 0:
		return ocispec.Descriptor{}, fmt.Errorf("lists nothing of type %s", packageArtifact)
	case len(chosen) == 0:
		return ocispec.Descriptor{}, errNoPlatform
	case len(chosen) > 1:
		return ocispec.Descriptor{}, fmt.Errorf("lists %d packages for %s; one is wanted", len(chosen), platform)
	}
	return chosen[0], nil
}

// parseImage returns the layer with the zip. Errors continue the sentence "the image of X …".
func parseImage(body []byte) (ocispec.Descriptor, error) {
	var image ocispec.Manifest
	if err := json.Unmarshal(body, &image); err != nil {
		return ocispec.Descriptor{}, errors.New("is not valid JSON")
	}
	if image.MediaType != ocispec.MediaTypeImageManifest || image.ArtifactType != packageArtifact {
		return ocispec.Descriptor{}, fmt.Errorf("is of the types %q and %q; %s and %s are wanted", foreign.Short(image.MediaType, 60), foreign.Short(image.ArtifactType, 60),
			ocispec.MediaTypeImageManifest, packageArtifact)
	}
	var layers []ocispec.Descriptor
	for _, d := range image.Layers {
		if d.MediaType == layerType {
			layers = append(layers, d)
		}
	}
	if len(layers) != 1 {
		return ocispec.Descriptor{}, fmt.Errorf("has %d layers of type %s; one is wanted", len(layers), layerType)
	}
	if err := layers[0].Digest.Validate(); err != nil || layers[0].Digest.Algorithm() != "sha256" {
		return ocispec.Descriptor{}, errors.New("has a layer whose digest is no sha256")
	}
	return layers[0], nil
}
