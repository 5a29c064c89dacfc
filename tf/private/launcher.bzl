"""Texts of the script behind `bazel run` of a lock target. Pure.

The script starts the helper on the lockfile of the workspace, in the directory that the user is in.
"""

load(":gather_script.bzl", "unix_gather_steps", "windows_gather_steps")
load(":script_parts.bzl", "UNIX_HEAD", "WINDOWS_HEAD", "WINDOWS_RUNFILES", "escaped", "quoted")

visibility(["//tf/..."])

_UNIX = """if [ -z "${{BUILD_WORKSPACE_DIRECTORY:-}}" ]; then
  printf '%s\\n' {not_run} >&2
  exit 2
fi
helper=$(runfile {helper})
manifest=$(runfile {manifest})
{gather}cd "${{BUILD_WORKING_DIRECTORY:-$BUILD_WORKSPACE_DIRECTORY}}"
"""

_UNIX_LOCK = """"$helper" lock --manifest "$manifest" --lockfile "$BUILD_WORKSPACE_DIRECTORY/MODULE.bazel.lock" \\
  --extension {extension}{dependency_lock} "$@\""""

# The worse of two results: the higher exit code.
_UNIX_WORSE = """locked=0
{lock} || locked=$?
if [ "$gathered" -gt "$locked" ]; then exit "$gathered"; fi
exit "$locked"
"""

_WINDOWS = """if not defined BUILD_WORKSPACE_DIRECTORY (
  echo {not_run} 1>&2
  exit /b 2
)
{runfiles}if not defined BUILD_WORKING_DIRECTORY set "BUILD_WORKING_DIRECTORY=%BUILD_WORKSPACE_DIRECTORY%"
set "TF_GATHERED=0"
{gather}cd /d "%BUILD_WORKING_DIRECTORY%"
"%TF_HELPER%" lock --manifest "%TF_MANIFEST%" --lockfile "%BUILD_WORKSPACE_DIRECTORY%/MODULE.bazel.lock" ^
  --extension "{extension}"{dependency_lock} %*
if %ERRORLEVEL% LSS %TF_GATHERED% exit /b %TF_GATHERED%
exit /b %ERRORLEVEL%
"""

_NOT_RUN = "Start this with bazel run: it writes into the workspace, whose place it is told by Bazel."

def _choices(versions, quote):
    return "".join([
        " --dependency-lock-provider {}".format(quote("{}:{}".format(source, version)))
        for source, version in sorted(versions.items())
    ])

def unix_launcher(helper, manifest, extension, lock_file, gather, lock_file_versions = {}):
    """The script for Unix.

    Args:
        helper: path of the helper below the runfiles' root.
        manifest: path of the manifest below it.
        extension: canonical id of the extension.
        lock_file: path of the dependency lock below the workspace, empty for none.
        gather: what to gather before, as `read_requirements` returns it; None for nothing.
        lock_file_versions: which version of a source with several the dependency lock gets, by source.

    Returns:
        Text.
    """
    lock = _UNIX_LOCK.format(
        dependency_lock = ' --dependency-lock "$BUILD_WORKSPACE_DIRECTORY"/{}{}'.format(
            quoted(lock_file),
            _choices(lock_file_versions, quoted),
        ) if lock_file else "",
        extension = quoted(extension),
    )
    start = _UNIX.format(
        gather = unix_gather_steps(gather) if gather else "",
        helper = quoted(helper),
        manifest = quoted(manifest),
        not_run = quoted(_NOT_RUN),
    )
    return UNIX_HEAD + start + (_UNIX_WORSE.format(lock = lock) if gather else "exec {}\n".format(lock))

def windows_launcher(helper, manifest, extension, lock_file, gather, lock_file_versions = {}):
    """The script for Windows: lines end as cmd wants them.

    Args:
        helper: path of the helper below the runfiles' root.
        manifest: path of the manifest below it.
        extension: canonical id of the extension.
        lock_file: path of the dependency lock below the workspace, empty for none.
        gather: what to gather before, as `read_requirements` returns it; None for nothing.
        lock_file_versions: which version of a source with several the dependency lock gets, by source.

    Returns:
        Text.
    """
    text = WINDOWS_HEAD + _WINDOWS.format(
        dependency_lock = ' --dependency-lock "%BUILD_WORKSPACE_DIRECTORY%/{}"{}'.format(
            escaped(lock_file),
            _choices(lock_file_versions, lambda text: '"{}"'.format(escaped(text))),
        ) if lock_file else "",
        extension = escaped(extension),
        gather = windows_gather_steps(gather) if gather else "",
        not_run = _NOT_RUN,
        runfiles = WINDOWS_RUNFILES.format(helper = escaped(helper), manifest = escaped(manifest)),
    )
    return text.replace("\n", "\r\n")
