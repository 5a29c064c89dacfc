package cliconfig

import (
	"strings"

	"rules_tf_mirror/tools/internal/addrs"
)

// home is the directory that ~ means, empty where there is none.
func (s System) home() string {
	if s.GOOS == "windows" {
		if profile := s.env("USERPROFILE"); profile != "" {
			return profile
		}
		return s.Home
	}
	if home := s.env("HOME"); home != "" {
		return home
	}
	return s.Home
}

// base is the directory of the tools' own files: the home directory, on Windows the roaming application data. The tools ask Windows for the
// latter; here the variable counts, which Windows sets to the same.
func (s System) base() string {
	if s.GOOS != "windows" {
		return s.home()
	}
	if data := s.env("APPDATA"); data != "" {
		return data
	}
	if home := s.home(); home != "" {
		return s.join(home, "AppData", "Roaming")
	}
	return ""
}

// override is the file that replaces all others (R-CLI-5).
func (s System) override() (path, variable string) {
	for _, name := range []string{"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"} {
		if path := s.env(name); path != "" {
			return path, name
		}
	}
	return "", ""
}

// mainFile is the main configuration file without an override, empty where the tool looks for none (R-CLI-1, R-CLI-2).
func (s System) mainFile(tool addrs.Tool) string {
	base := s.base()
	if base == "" {
		return s.xdgFile(tool)
	}
	terraform, tofu := s.join(base, ".terraformrc"), s.join(base, ".tofurc")
	if s.GOOS == "windows" {
		terraform, tofu = s.join(base, "terraform.rc"), s.join(base, "tofu.rc")
	}
	if tool != addrs.OpenTofu {
		return terraform
	}
	switch xdg := s.xdgFile(tool); {
	case s.exists(tofu):
		return tofu
	case s.exists(terraform) || xdg == "":
		return terraform
	default:
		return xdg
	}
}

// xdgFile is where OpenTofu looks last.
func (s System) xdgFile(tool addrs.Tool) string {
	if xdg := s.env("XDG_CONFIG_HOME"); tool == addrs.OpenTofu && s.GOOS != "windows" && xdg != "" {
		return s.join(xdg, "opentofu", "tofurc")
	}
	return ""
}

// configDir is the directory whose *.tfrc files count, empty where there is none (R-CLI-3, R-CLI-4).
func (s System) configDir(tool addrs.Tool) string {
	dir := s.dotDir()
	if xdg := s.env("XDG_CONFIG_HOME"); tool == addrs.OpenTofu && s.GOOS != "windows" && xdg != "" && (dir == "" || !s.isDir(dir)) {
		return s.join(xdg, "opentofu")
	}
	return dir
}

// dotDir is ~/.terraform.d.
func (s System) dotDir() string {
	base := s.base()
	switch {
	case base == "":
		return ""
	case s.GOOS == "windows":
		return s.join(base, "terraform.d")
	default:
		return s.join(base, ".terraform.d")
	}
}

// dataDirs are the directories below which plugins and credentials helpers are looked for (R-CLI-4, R-CRED-10).
func (s System) dataDirs(tool addrs.Tool) []string {
	var dirs []string
	if dir := s.dotDir(); dir != "" {
		dirs = append(dirs, dir)
	}
	if xdg := s.env("XDG_DATA_HOME"); tool == addrs.OpenTofu && s.GOOS != "windows" && xdg != "" {
		dirs = append(dirs, s.join(xdg, "opentofu"))
	}
	return dirs
}

// helperDirs are the directories that may hold a credentials helper (R-CRED-10).
func (s System) helperDirs(tool addrs.Tool) []string {
	var dirs []string
	for _, dir := range s.dataDirs(tool) {
		plugins := s.join(dir, "plugins")
		dirs = append(dirs, plugins, s.join(plugins, s.GOOS+"_"+s.GOARCH))
	}
	return dirs
}

// impliedDirs are the mirrors that count without a provider_installation block, as far as they exist, in the order of R-CLI-19. The first
// is relative to the current directory.
func (s System) impliedDirs(tool addrs.Tool) []string {
	candidates := []string{s.join("terraform.d", "plugins")}
	for _, dir := range s.dataDirs(tool) {
		candidates = append(candidates, s.join(dir, "plugins"))
	}
	dirs := []string{}
	for _, dir := range append(candidates, s.applicationDirs()...) {
		if s.isDir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// applicationDirs are the directories that the system has for data of applications; both tools use terraform's name there.
func (s System) applicationDirs() []string {
	var dirs []string
	switch home := s.home(); s.GOOS {
	case "windows":
		if base := s.base(); base != "" {
			dirs = append(dirs, s.join(base, "HashiCorp", "Terraform", "plugins"))
		}
		machine := s.env("ProgramData")
		if machine == "" {
			machine = `C:\ProgramData`
		}
		dirs = append(dirs, s.join(machine, "HashiCorp", "Terraform", "plugins"))
	case "darwin":
		if home != "" {
			dirs = append(dirs, s.join(home, "Library", "Application Support", "io.terraform", "plugins"))
		}
		dirs = append(dirs, "/Library/Application Support/io.terraform/plugins")
	default:
		if data := s.env("XDG_DATA_HOME"); data != "" {
			dirs = append(dirs, s.join(data, "terraform", "plugins"))
		} else if home != "" {
			dirs = append(dirs, s.join(home, ".local", "share", "terraform", "plugins"))
		}
		shared := s.env("XDG_DATA_DIRS")
		if shared == "" {
			shared = "/usr/local/share:/usr/share"
		}
		for dir := range strings.SplitSeq(shared, ":") {
			if dir != "" {
				dirs = append(dirs, s.join(dir, "terraform", "plugins"))
			}
		}
	}
	return dirs
}
