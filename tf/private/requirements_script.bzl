"""Texts of the script behind a `tf_requirements_test`. Pure.

It compares in the tree of runfiles, which holds what the test names and nothing else.
"""

load(":gather_script.bzl", "unix_gather_function", "windows_gather_command")
load(":script_parts.bzl", "UNIX_HEAD", "WINDOWS_HEAD", "WINDOWS_RUNFILES", "WINDOWS_TOOL", "escaped", "quoted")

visibility(["//tf/..."])

_UNIX = """helper=$(runfile {helper})
manifest=$(runfile {manifest})
tree=${{RUNFILES_DIR:-$self.runfiles}}/{workspace}
if ! [ -d "$tree" ]; then
  printf '%s\\n' {no_tree} >&2
  exit 2
fi
{function}gather --check
"""

_WINDOWS = """{runfiles}{tool}if not defined RUNFILES_DIR set "RUNFILES_DIR=%~f0.runfiles"
if not exist "%RUNFILES_DIR%/{workspace}/" (
  echo {no_tree} 1>&2
  exit /b 2
)
cd /d "%RUNFILES_DIR%/{workspace}"
{gather} --check -- {paths}
exit /b %ERRORLEVEL%
"""

_NO_TREE = "There is no tree of runfiles, which this test reads as the tool reads directories. Use --enable_runfiles."

def unix_requirements_test(helper, manifest, workspace, gather, repair):
    """The script for Unix.

    Args:
        helper: path of the helper below the runfiles' root.
        manifest: path of the manifest below it.
        workspace: the directory of the main repository below it.
        gather: what to compare, as `read_requirements` returns it.
        repair: the command that writes the file.

    Returns:
        Text.
    """
    return UNIX_HEAD + _UNIX.format(
        function = unix_gather_function(gather, root = '"$tree"', repair = repair),
        helper = quoted(helper),
        manifest = quoted(manifest),
        no_tree = quoted(_NO_TREE),
        workspace = quoted(workspace),
    )

def windows_requirements_test(helper, manifest, workspace, gather, repair):
    """The script for Windows: lines end as cmd wants them.

    Args:
        helper: path of the helper below the runfiles' root.
        manifest: path of the manifest below it.
        workspace: the directory of the main repository below it.
        gather: what to compare, as `read_requirements` returns it.
        repair: the command that writes the file.

    Returns:
        Text.
    """
    command, paths = windows_gather_command(gather, repair)
    text = WINDOWS_HEAD + _WINDOWS.format(
        gather = command,
        no_tree = _NO_TREE,
        paths = paths,
        runfiles = WINDOWS_RUNFILES.format(helper = escaped(helper), manifest = escaped(manifest)),
        tool = WINDOWS_TOOL,
        workspace = escaped(workspace),
    )
    return text.replace("\n", "\r\n")
