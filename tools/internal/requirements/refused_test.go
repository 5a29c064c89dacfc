package requirements

// refused are configurations that the tools do not accept, and what we say about them.
var refused = []configuration{
	{name: "twice required_providers", fails: "main.tf:6: this module has required_providers already, at main.tf:2", files: `terraform {
  required_providers {
    a = "1"
  }
  # again
  required_providers {
    b = "1"
  }
}`},
	{name: "required_providers at top level", fails: "main.tf:1: required_providers must be inside of a terraform block", files: "required_providers {\n a = \"1\"\n}"},
	{name: "unknown member", fails: `main.tf:4: required_providers: a: "alias" is not known`, files: `terraform {
  required_providers {
    a = { source = "acme/a",
      alias = "x" }
  }
}`},
	{name: "name not normal, R-ADDR-21", fails: `main.tf:3: required_providers: AWS: a local name must be in normal form; write "aws"`, files: `terraform {
  required_providers {
    AWS = { source = "hashicorp/aws" }
  }
}`},
	{name: "name with underscore", fails: `main.tf:1: the provider's local name "google_beta" is not valid`, files: `resource "google_x" "y" { provider = google_beta }`},
	{name: "bad source", fails: `main.tf:3: required_providers: a: source "a/b/c/d" has 4 parts`, files: `terraform {
  required_providers {
    a = { source = "a/b/c/d" }
  }
}`},
	{name: "source of a repository", fails: `did you mean "acme/widget"?`, files: `terraform {
  required_providers {
    a = { source = "acme/terraform-provider-widget" }
  }
}`},
	{name: "computed source", fails: "main.tf:4: required_providers: a: the source: variables are not allowed here", files: `variable "x" {}
terraform {
  required_providers {
    a = { source = var.x }
  }
}`},
	{name: "bad constraint, R-CON-3", fails: `main.tf:3: required_providers: a: version constraint "^1.0"`, files: `terraform {
  required_providers {
    a = { source = "x/a", version = "^1.0" }
  }
}`},
	{name: "constraint that only one parser reads, R-CON-1", fails: `version constraint ">=  1.0"`, files: `terraform {
  required_providers {
    a = { source = "x/a", version = ">=  1.0" }
  }
}`},
	{name: "empty constraint, R-CON-6", fails: "main.tf:3: required_providers: a: the version constraint is empty", files: `terraform {
  required_providers {
    a = { source = "x/a", version = "" }
  }
}`},
	{name: "null", fails: "main.tf:3: required_providers: a must be an object", files: "terraform {\n required_providers {\n a = null\n }\n}"},
	{name: "null version", fails: "the version must be a string", files: "terraform {\n required_providers {\n a = { version = null }\n }\n}"},
	{name: "number as version in an object", fails: "the version must be a string", files: "terraform {\n required_providers {\n a = { version = 1 }\n }\n}"},
	{name: "list", fails: "main.tf:3: required_providers: a must be an object", files: "terraform {\n required_providers {\n a = [\"1\"]\n }\n}"},
	{name: "aliases of another name", fails: "main.tf:3: required_providers: x: an element of configuration_aliases must be like x.east", files: `terraform {
  required_providers {
    x = { source = "a/foo", configuration_aliases = [x.a, y.b] }
  }
}`},
	{name: "provider block not normal", fails: `main.tf:1: the name of a provider must be in normal form; write "aws" instead of "AWS"`, files: `provider "AWS" {}`},
	{name: "twice the same provider block", fails: "main.tf:2: provider a is configured already, at main.tf:1", files: "provider \"a\" {}\nprovider \"a\" {}"},
	{name: "twice the same resource", fails: "main.tf:2: resource a_b.c is declared already, at main.tf:1", files: "resource \"a_b\" \"c\" {}\nresource \"a_b\" \"c\" {}"},
	{name: "twice the same module", fails: `main.tf:4: module "m" is called already, at main.tf:1`, files: `module "m" {
  source = "./m"
}
module "m" {
  source = "./m"
}
-- m/main.tf --
locals {}`},
	{name: "provider argument with too many parts", fails: "main.tf:1: the provider must be a local name", files: `resource "null_resource" "x" { provider = aws.x.y }`},
	{name: "provider argument that is a call", fails: "main.tf:1: the provider must be a local name", files: `resource "null_resource" "x" { provider = lower("aws") }`},
	{name: "type that implies no name", fails: "main.tf:1: the provider's local name \"\" is not valid", files: `resource "_resource" "x" {}`},
	{name: "type that is no identifier", fails: `main.tf:1: "null resource" is no type of a resource`, files: `resource "null resource" "x" {}`},
	{name: "syntax", fails: "main.tf:2: ", files: "terraform {\n  required_providers {\n"},
	{name: "syntax in JSON", fails: "main.tf.json:1: ", files: "-- main.tf.json --\n{\"resource\": "},
	{name: "missing module", fails: `main.tf:1: the directory of module "m", nope, does not exist`, files: "module \"m\" {\n source = \"./nope\"\n}"},
	{name: "module without source", fails: `main.tf:1: module "m" has no source`, files: "module \"m\" {\n}"},
}
