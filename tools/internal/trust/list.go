package trust

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rules_tf_mirror/tools/internal/sums"
)

// badList explains why a list cannot be used for this version.
func (d *decision) badList(err error) *Error {
	var defect *sums.Error
	if !errors.As(err, &defect) {
		return d.refuse(KindChecksum, Mismatch, err, "%v", err)
	}
	text := err.Error()
	if defect.Kind == sums.OtherRelease && defect.Found != "" {
		text = "ALARM: " + text + ", which somebody replays or the publisher mixed up; terraform would accept it with a file name of that release"
	}
	return d.refuse(KindChecksum, Reason(defect.Kind), err, "%s", text)
}

// warnAboutList says where terraform records other hashes than we do (R-AUTH-7, R-AUTH-27).
func (d *decision) warnAboutList(list *sums.List) {
	recorded := list.Terraform()
	switch {
	case recorded.Crash > 0:
		d.warn("line %d of SHA256SUMS is blank: terraform and tofu crash at it when they install from the registry", recorded.Crash)
	case recorded.Void > 0:
		d.warn("line %d of SHA256SUMS is no hash and name: terraform and tofu then record the hash of their own platform only", recorded.Void)
	case recorded.Cut > 0:
		d.warn("line %d of SHA256SUMS is longer than 64 KiB: terraform and tofu record nothing from there on", recorded.Cut)
	}
}

// checkPackages compares each answered hash with the line of that platform's own file name.
func (d *decision) checkPackages(list *sums.List, zh map[string]string) *Error {
	var texts []string
	var first Reason
	for _, platform := range slices.Sorted(maps.Keys(d.Packages)) {
		found := strings.ToLower(d.Packages[platform])
		want, listed := zh[platform]
		if listed && want == found {
			continue
		}
		reason, text := d.mismatch(list, platform, found, want)
		if first == "" {
			first = reason
		}
		texts = append(texts, text)
	}
	if first == "" {
		return nil
	}
	return d.refuse(KindChecksum, first, nil, "%s", strings.Join(texts, "; "))
}

// mismatch explains a package whose answered hash is not the one of its line. want is empty if there is no line.
func (d *decision) mismatch(list *sums.List, platform, found, want string) (Reason, string) {
	line := fmt.Sprintf("SHA256SUMS has %s", want)
	if want == "" {
		line = "SHA256SUMS has no line for " + sums.Filename(d.Source.Type, d.Version, platform)
	}
	names := list.Names(found)
	for _, name := range names {
		if other, ok := sums.Platform(name, d.Source.Type, d.Version); ok {
			return OtherPlatform, fmt.Sprintf("for %s the registry answers the package of %s (%s); %s. terraform takes any listed file", platform, other, found, line)
		}
	}
	if len(names) > 0 {
		return NotAPackage, fmt.Sprintf("for %s the registry answers the hash of %q (%s), which is no package of this version; %s", platform, names[0], found, line)
	}
	if want == "" {
		return NotListed, fmt.Sprintf("%s; the registry answers %s for %s. If the release lacks the platform, list it in optional_platforms or remove it", line, found, platform)
	}
	return Mismatch, fmt.Sprintf("for %s the registry answers %s; %s", platform, found, line)
}

// checkContent compares with what was recorded for this version: a hash that differs or is gone means that the release was cut again.
func (d *decision) checkContent(fact *Verified) *Error {
	if d.Fact == nil {
		return nil
	}
	var changes []string
	for _, platform := range slices.Sorted(maps.Keys(d.Fact.ZH)) {
		before, now := d.Fact.ZH[platform], fact.ZH[platform]
		switch {
		case now == "":
			changes = append(changes, fmt.Sprintf("%s: %s is gone", platform, before))
		case now != before:
			changes = append(changes, fmt.Sprintf("%s: %s became %s", platform, before, now))
		}
	}
	for _, before := range d.Fact.Other {
		if !slices.Contains(fact.Other, before) {
			changes = append(changes, fmt.Sprintf("another file: %s is gone", before))
		}
	}
	entry := d.Source.String() + ":" + d.Version
	allowed := d.Policy.changed[d.subject()]
	switch {
	case len(changes) == 0 && allowed:
		d.warn("%s still names it, and its content is as recorded. Remove %q there: as long as it stays, other content is accepted again and again", attrChanged, entry)
		return nil
	case len(changes) == 0:
		return nil
	case allowed:
		d.warn("the release has other content than recorded, accepted by %s: %s. Remove %q there once this is recorded", attrChanged, strings.Join(changes, "; "), entry)
		return nil
	}
	return d.refuse(ContentKind, ContentChanged, nil, "ALARM: the same version has other content than recorded. %s. A published version never changes; ask the publisher. "+
		"If the release was cut again on purpose, prefer the next version, or accept this one: %s = [%q]", strings.Join(changes, "; "), attrChanged, entry)
}

// equal reports whether two facts say the same.
func (v *Verified) equal(other *Verified) bool {
	return maps.Equal(v.ZH, other.ZH) && slices.Equal(v.Other, other.Other) && v.Signer == other.Signer && v.Tier == other.Tier
}
