"""Parts of scripts that call `tfmirror gather`. Pure.

The lock target gathers first, and then locks what the manifest names. The manifest was made before the script was started, so if gathering
changes the file, what would be locked is out of date: the script says so and ends, and the same command does the rest.
"""

load(":script_parts.bzl", "UNIX_TOOL", "WINDOWS_TOOL", "escaped", "path_below_package", "quoted")

visibility(["//tf/..."])

_UNIX_FUNCTION = UNIX_TOOL + """
gather() (
  cd {root} || exit 2
  exec "$helper" gather --tool "$tool" --out {out} --repair {repair} "$@" -- {paths}
)
"""

_UNIX_STEPS = """
check=
for argument in "$@"; do
  case $argument in
    --check | --check=*) check=yes ;;
  esac
done
gathered=0
gather --check || gathered=$?
if [ -z "$check" ] && [ "$gathered" -eq 1 ]; then
  gather --quiet
  printf '%s\\n' {again} >&2
  exit 1
fi
if [ -z "$check" ] && [ "$gathered" -ne 0 ]; then
  exit "$gathered"
fi
"""

_WINDOWS_STEPS = WINDOWS_TOOL + """set "TF_CHECK="
:argument
if "%~1"=="" goto gather
if "%~1"=="--check" set "TF_CHECK=yes"
shift /1
goto argument
:gather
cd /d "%BUILD_WORKSPACE_DIRECTORY%"
{gather} --check -- {paths}
set "TF_GATHERED=%ERRORLEVEL%"
if defined TF_CHECK goto gathered
if "%TF_GATHERED%"=="0" goto gathered
if not "%TF_GATHERED%"=="1" exit /b %TF_GATHERED%
{gather} --quiet -- {paths}
if errorlevel 1 exit /b %ERRORLEVEL%
echo {again} 1>&2
exit /b 1
:gathered
"""

_AGAIN = "The file is written now, with what is shown above. This run was made from what it held before, so nothing was verified. Run the same command again: "

def read_requirements(label, requirements, mirror_json):
    """Checks what attributes say about gathering.

    Args:
        label: the label of the target.
        requirements: the attribute: paths of modules and files below the package's directory.
        mirror_json: the attribute: a path below the package's directory.

    Returns:
        A pair of what is to be done and an error. Both are None if nothing is to be gathered, else one of them; the former is a struct of
        `paths` and `out`, below the workspace, and `target`, the label of the target as people write it.
    """
    if not requirements and not mirror_json:
        return None, None
    if not requirements or not mirror_json:
        return None, ('requirements and mirror_json belong together: the modules to read, such as requirements = ["live"], and the ' +
                      'file that is to hold what they require, such as mirror_json = "providers.json".')
    out, problem = path_below_package("mirror_json", label.package, mirror_json, example = "providers.json")
    if problem:
        return None, problem
    paths = []
    for requirement in requirements:
        path, problem = path_below_package("requirements", label.package, requirement, example = "live", directories = True)
        if problem:
            return None, problem
        paths.append(path)
    return struct(out = out, paths = paths, target = "//{}:{}".format(label.package, label.name)), None

def unix_gather_function(gather, root, repair):
    """A function `gather` of sh, for which `helper` and `manifest` are set.

    Args:
        gather: as `read_requirements` returns it.
        root: where paths start, as sh reads it.
        repair: the command that writes the file.

    Returns:
        Text.
    """
    return _UNIX_FUNCTION.format(
        out = quoted(gather.out),
        paths = " ".join([quoted(path) for path in gather.paths]),
        repair = quoted(repair),
        root = root,
    )

def unix_gather_steps(gather):
    """What the lock target does before it locks. It sets `gathered`, the exit code.

    Args:
        gather: as `read_requirements` returns it.

    Returns:
        Text.
    """
    command = "bazel run " + gather.target
    function = unix_gather_function(gather, root = '"$BUILD_WORKSPACE_DIRECTORY"', repair = command)
    return function + _UNIX_STEPS.format(again = quoted(_AGAIN + command))

def windows_gather_command(gather, repair):
    """The command that gathers, for which TF_HELPER and TF_TOOL are set.

    Args:
        gather: as `read_requirements` returns it.
        repair: the command that writes the file.

    Returns:
        A pair of the command without paths, which follow flags and `--`, and the paths.
    """
    command = '"%TF_HELPER%" gather --tool %TF_TOOL% --out "{}" --repair "{}"'.format(escaped(gather.out), escaped(repair))
    return command, " ".join(['"{}"'.format(escaped(path)) for path in gather.paths])

def windows_gather_steps(gather):
    """What the lock target does before it locks, for Windows. It sets TF_GATHERED, the exit code.

    Args:
        gather: as `read_requirements` returns it.

    Returns:
        Text.
    """
    repair = "bazel run " + gather.target
    command, paths = windows_gather_command(gather, repair)
    return _WINDOWS_STEPS.format(again = '{}"{}"'.format(_AGAIN, escaped(repair)), gather = command, paths = paths)
