package requirements

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// configuration is a case for the real tools and for us.
type configuration struct {
	name  string
	files string // txtar; a text without files is main.tf
	fails string // part of our error; empty if the configuration is good
}

// configurations, and those of refused, are read by the real terraform and tofu and by us. R-ADDR-20, R-ADDR-21, R-CON-7, A13, A15, A17, A18.
var configurations = []configuration{
	{name: "nothing", files: "locals {}\n"},
	{name: "object form", files: `terraform {
  required_providers {
    random = { source = "hashicorp/random", version = "~> 3.1" }
    widget = { source = "registry.acme.dev/acme/widget" }
    noversion = { source = "acme/noversion" }
    nosource = { version = ">= 1" }
    neither = {}
  }
}`},
	{name: "legacy string form is normalised, R-ADDR-21", files: `terraform {
  required_providers {
    aws = "~> 3.0"
    GitHub = ">= 4"
  }
}
resource "GitHub_repository" "r" {}`},
	{name: "legacy numbers", files: "terraform {\n required_providers {\n a = 2\n b = true ? \"3\" : \"4\"\n }\n}"},
	{name: "every operator, A15", files: `terraform {
  required_providers {
    a = { source = "x/a", version = "!= 1.4.0, >= 1.7.1, <= 1.8.0" }
    b = { source = "x/b", version = ">1,<2" }
    c = { source = "x/c", version = "= 1.2.3-beta.1+x" }
    d = { source = "x/d", version = "~>1" }
    e = { source = "x/e", version = "1.2, ~> 1.2.0, ~> 1.2" }
  }
}`},
	{name: "templates, heredocs, parentheses, quoted keys", files: `terraform {
  required_providers {
    a = { "source" = ("acme/a"), version = "${"~> 5"}" }
    b = { source = "acme/b", ("version") = <<EOT
      ~> 6.0
EOT
    }
    c = { source : "acme/c", version : "1" }
  }
}`},
	{name: "a repeated member: the last counts", files: `terraform {
  required_providers {
    a = { source = "acme/x", source = "acme/a", version = "1", version = "2" }
  }
}`},
	{name: "comments", files: `# terraform { required_providers { a = "1" } }
/* resource "b_x" "y" {} */
// data "c_x" "y" {}
terraform {
  required_providers {
    # d = "1"
    e = "1" // f = "2"
  }
}`},
	{name: "implied by resources and data, R-ADDR-20", files: `resource "null_resource" "a" {}
data "http" "b" {}
resource "google_x_y" "c" {}
resource "aws" "d" {}
resource "my-cloud_thing" "e" {}
resource "UPPER_case" "f" {}`},
	{name: "implied by ephemeral resources", files: `ephemeral "random_password" "a" {
  length = 8
}`},
	{name: "implied by data in a check block", files: `check "up" {
  data "http" "a" {
    url = "https://example.com"
  }
  assert {
    condition     = data.http.a.status_code == 200
    error_message = "down"
  }
}`},
	{name: "the built-in provider, R-ADDR-3", files: `resource "terraform_data" "a" {}
data "terraform_remote_state" "b" {
  backend = "local"
}`},
	{name: "the built-in provider by name", files: `terraform {
  required_providers {
    terraform = { source = "terraform.io/builtin/terraform" }
    tf        = { source = "TERRAFORM.io/builtin/terraform" }
    other     = { source = "terraform" }
  }
}
resource "tf_data" "a" {}`},
	{name: "the built-in provider without source", files: "terraform {\n required_providers {\n terraform = {}\n }\n}\nresource \"terraform_data\" \"a\" {}"},
	{name: "provider argument", files: `terraform {
  required_providers {
    cloud = { source = "acme/cloud", version = "1.0.0" }
  }
}
provider "cloud" {
  alias = "east"
}
resource "thing_a" "a" { provider = cloud }
resource "thing_b" "b" { provider = cloud.east }
resource "thing_c" "c" { provider = google-beta }
data "thing_d" "d" { provider = other.alias }
resource "thing_e" "e" { provider = "cloud.east" }`},
	{name: "local name differs from type", files: `terraform {
  required_providers {
    mycloud = { source = "acme/cloud" }
  }
}
resource "mycloud_x" "a" {}
resource "cloud_x" "b" {}`},
	{name: "versions in provider blocks, R-CON-7", files: `provider "aws" { version = "~> 2.0" }
provider "aws" {
  alias   = "b"
  version = ">= 2.5"
}
provider "null" {}
provider "number" { version = 3 }
provider "nil" { version = null }`},
	{name: "provider block beside required_providers", files: `terraform {
  required_providers {
    aws = { source = "acme/aws", version = ">= 1" }
  }
}
provider "aws" { version = "< 3" }`},
	{name: "configuration aliases", files: `terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.0", configuration_aliases = [aws.a, aws.b] }
  }
}`},
	{name: "import blocks", files: `import {
  to = random_pet.new
  id = "x"
}
import {
  to       = thing_a.b["k"]
  id       = "y"
  provider = cloud.east
}
import {
  for_each = toset(["a"])
  to       = keyed_thing.b[each.key]
  id       = each.value
}`},
	{name: "import of a declared resource", files: `resource "thing_a" "b" {
  provider = cloud
}
import {
  to = thing_a.b
  id = "x"
}`},
	{name: "import into a module", files: `module "m" {
  source = "./m"
}
import {
  to = module.m.time_sleep.a
  id = "x"
}
-- m/main.tf --
resource "time_sleep" "a" { provider = clock }`},
	{name: "moved and removed imply nothing", files: `moved {
  from = gone_a.x
  to   = null_resource.y
}
resource "null_resource" "y" {}
removed {
  from = lost_a.x
  lifecycle {
    destroy = false
  }
}`},
	{name: "dynamic blocks, expressions and nested blocks imply nothing", files: `resource "null_resource" "a" {
  triggers = { for k in ["a"] : k => data.http.x.body }
  dynamic "provider" {
    for_each = []
    content {
      resource = "aws_x"
    }
  }
  provisioner "local-exec" {
    command = "echo"
  }
  lifecycle {
    ignore_changes = all
  }
}
data "http" "x" {}`},
	{name: "an escaping block holds no meta arguments", files: `resource "null_resource" "a" {
  _ {
    provider = "no such thing at all"
  }
}`},
	{name: "settings and provider_meta imply nothing", files: `terraform {
  required_version = ">= 0.12"
  provider_meta "meta" {
    a = "b"
  }
}
variable "v" {
  default = "aws_x"
}
output "o" {
  value = var.v
}`},
	{name: "several terraform blocks and files", files: `-- a.tf --
terraform {
  required_version = ">= 0.12"
}
-- b.tf --
terraform {
  required_providers {
    a = "1"
  }
}
-- c.tf --
resource "a_x" "y" {}
resource "b_x" "y" {}`},
	{name: "ignored files", files: `-- main.tf --
resource "a_x" "y" {}
-- .hidden.tf --
resource "b_x" "y" {}
-- backup.tf~ --
resource "c_x" "y" {}
-- #emacs.tf# --
resource "d_x" "y" {}
-- readme.md --
resource "e_x" "y" {}
-- vars.tfvars --
resource = 1
-- sub/main.tf --
resource "f_x" "y" {}
-- dir.tf/main.tf --
resource "g_x" "y" {}`},
	{name: "tofu's own files", files: `-- main.tf --
resource "a_x" "y" {}
-- main.tofu --
resource "b_x" "y" {}
-- only.tofu.json --
{"resource": {"c_x": {"y": {}}}}
-- both.tf.json --
{"resource": {"d_x": {"y": {}}}}
-- both.tofu --
resource "e_x" "y" {}`},
	{name: "JSON", files: `-- main.tf.json --
{
  "//": "a comment",
  "terraform": {
    "required_providers": {
      "random": {"source": "hashicorp/random", "version": "~> 3.1"},
      "aws": "~> 3.0",
      "ali": {"source": "acme/ali", "configuration_aliases": ["ali.a"]}
    }
  },
  "provider": {
    "google": [{"version": ">= 1"}, {"alias": "b", "version": "< 5"}],
    "plain": {}
  },
  "resource": {
    "null_resource": {"a": {}, "b": {"provider": "aws.x"}},
    "thing_x": {"a": [{"provider": "beta"}]}
  },
  "data": {"http": {"x": {"url": "${var.x}"}}},
  "ephemeral": {"eph_x": {"y": {}}},
  "variable": {"x": {"default": "y"}}
}`},
	{name: "JSON in lists", files: `-- main.tf.json --
[{"terraform": [{"required_version": ">= 0.12"}, {"required_providers": [{"a": {"source": "x/a"}}]}]},
 {"resource": [{"b_x": [{"y": {}}, {"z": {}}]}, {"c_x": {"y": {}}}]},
 {"import": {"to": "d_x.y", "id": "z", "provider": "e.f"}}]`},
	{name: "JSON beside native syntax", files: `-- a.tf --
resource "a_x" "y" {}
-- b.tf.json --
{"terraform": {"required_providers": {"a": {"source": "acme/a", "version": "1.0"}}}}`},
	{name: "JSON takes no templates for sources", fails: "b.tf.json:1: required_providers: a: source", files: `-- b.tf.json --
{"terraform": {"required_providers": {"a": {"source": "${x}/a", "version": "1.0"}}}}`},
	{name: "override of an entry replaces it", files: `-- main.tf --
terraform {
  required_providers {
    a = { source = "acme/a", version = "~> 1.0" }
    b = { source = "acme/b", version = "~> 1.0" }
  }
}
-- override.tf --
terraform {
  required_providers {
    a = { source = "other/a" }
    c = "2"
  }
}`},
	{name: "override files in order", files: `-- main.tf --
terraform {
  required_providers {
    a = "1"
  }
}
-- a_override.tf --
terraform {
  required_providers {
    a = "2"
  }
}
-- b_override.tf.json --
{"terraform": {"required_providers": {"a": "3"}}}
-- overrides.tf --
resource "b_x" "y" {}`},
	{name: "override of a resource's provider", files: `-- main.tf --
resource "thing_x" "y" {}
resource "kept_x" "y" { provider = kept2 }
-- override.tf --
resource "thing_x" "y" { provider = cloud.east }
resource "kept_x" "y" {
  count = 0
}`},
	{name: "override of provider blocks", files: `-- main.tf --
provider "aws" { version = "1" }
provider "aws" {
  alias = "x"
  version = "2"
}
-- override.tf --
provider "aws" { version = ">= 2" }
provider "aws" {
  alias = "x"
}
provider "new" { version = "3" }`},
	{name: "override of a module's source", files: `-- main.tf --
module "m" {
  source = "./nowhere"
}
-- override.tf --
module "m" {
  source = "./m"
}
-- m/main.tf --
resource "a_x" "y" {}`},
	{name: "override without base: resource", fails: "override.tf:1: there is no resource a_x.y to override", files: `-- main.tf --
locals {}
-- override.tf --
resource "a_x" "y" {}`},
	{name: "override without base: alias", fails: "override.tf:1: there is no configuration a.b to override", files: `-- main.tf --
locals {}
-- override.tf --
provider "a" {
  alias = "b"
}`},
	{name: "override without base: module", fails: `override.tf:1: there is no module "m" to override`, files: `-- main.tf --
locals {}
-- override.tf --
module "m" {
  source = "./m"
}
-- m/main.tf --
locals {}`},
	{name: "nested modules, A13, A17", files: `module "a" {
  source = "./modules/a"
}
module "b" {
  source = "./modules/b"
  count  = 0
}
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = ">= 3.0" }
  }
}
-- modules/a/versions.tf --
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "< 5, != 4.1.0" }
    template = "2.2.0"
  }
}
module "deeper" {
  source = "../b//."
}
-- modules/b/main.tf --
resource "aws_x" "y" {}
resource "null_resource" "y" {}
terraform {
  required_providers {
    cloud = { source = "app.terraform.io/acme/cloud", version = "~> 0.1" }
  }
}
module "empty" {
  source = "./empty"
}
-- modules/b/empty/readme.md --
nothing`},
	{name: "local names are each module's own", files: `module "a" {
  source = "./a"
}
terraform {
  required_providers {
    x = { source = "acme/x", version = "1" }
  }
}
-- a/main.tf --
resource "x_y" "z" {}`},
	{name: "passed providers imply nothing", files: `module "a" {
  source    = "./a"
  providers = { aws = aws }
}
-- a/main.tf --
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}`},
	{name: "one module twice", files: `module "a" {
  source = "./m"
}
module "b" {
  source = "./m"
}
-- m/main.tf --
terraform {
  required_providers {
    x = { source = "acme/x", version = "~> 1.0" }
  }
}`},
	{name: "hosts with ports and in Unicode case", files: `terraform {
  required_providers {
    a = { source = "Registry.ACME.dev:8443/Acme/Widget", version = "1.0" }
    b = { source = "acme.dev:443/acme/b" }
    c = { source = "HashiCorp/C" }
  }
}`},
	{name: "carriage returns", files: "terraform {\r\n  required_providers {\r\n    a = \"1\"\r\n  }\r\n}\r\n"},
}

// write puts the files of a txtar archive into a new directory.
func write(t testing.TB, files string) string {
	t.Helper()
	dir := t.TempDir()
	archive := txtar.Parse([]byte(files))
	if len(archive.Files) == 0 || len(archive.Comment) > 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "main.tf", Data: archive.Comment})
	}
	for _, file := range archive.Files {
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
