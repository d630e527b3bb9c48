//! Programs that stand in the arguments of another program: found there, and read as far as they can be.

use super::table::Table;
use super::word::Resolved;
use super::{About, Doubt, harmless, path, scripts};
use crate::wildcard;

/// Modules of Python that run code from their arguments or their input.
const RUNNERS: &[&str] =
    &["timeit", "code", "pdb", "asyncio", "runpy", "IPython", "ipykernel", "bdb", "idlelib"];

/// Parts of the names that `cmake` gives to programs and to what it reads as its own code.
const NAMES_OF_PROGRAMS: &[&str] = &[
    "COMPILER",
    "LAUNCHER",
    "_PROGRAM",
    "LINKER",
    "TOOLCHAIN",
    "MODULE_PATH",
    "PREFIX_PATH",
    "EMULATOR",
    "EXECUTABLE",
    "TOP_LEVEL_INCLUDES",
    "_INCLUDE_BEFORE",
];

/// Settings of `cmake` itself that name no program; a `*` stands for a language or a kind of build.
const HARMLESS_OF_CMAKE: &[&str] = &[
    "CMAKE_BUILD_TYPE",
    "CMAKE_INSTALL_PREFIX",
    "CMAKE_INSTALL_*DIR",
    "CMAKE_EXPORT_COMPILE_COMMANDS",
    "CMAKE_*_STANDARD",
    "CMAKE_*_STANDARD_REQUIRED",
    "CMAKE_*_EXTENSIONS",
    "CMAKE_*_FLAGS",
    "CMAKE_*_FLAGS_*",
    "CMAKE_*_COMPILER",
    "CMAKE_*_COMPILER_LAUNCHER",
    "CMAKE_VERBOSE_MAKEFILE",
    "CMAKE_POSITION_INDEPENDENT_CODE",
    "CMAKE_INTERPROCEDURAL_OPTIMIZATION",
    "CMAKE_UNITY_BUILD",
    "CMAKE_COLOR_DIAGNOSTICS",
    "CMAKE_COLOR_MAKEFILE",
    "CMAKE_OSX_ARCHITECTURES",
    "CMAKE_OSX_DEPLOYMENT_TARGET",
    "CMAKE_*_OUTPUT_DIRECTORY",
    "CMAKE_DEBUG_POSTFIX",
    "CMAKE_SKIP_*",
    "CMAKE_BUILD_PARALLEL_LEVEL",
    "CMAKE_POLICY_VERSION_MINIMUM",
    "CMAKE_CONFIGURATION_TYPES",
];

/// Flags by which a compiler or a linker runs a program or loads code.
const RUNNING_FLAGS: &[&str] = &["plugin", "-load", "-fuse-ld", "-wrapper", "-specs", "-B", "@"];

/// Programs that build what they are given, and that everybody has or lacks under this name.
const COMPILERS: &[&str] = &["gcc", "g++", "clang", "clang++", "cc", "c++", "ccache", "sccache", "ninja"];

/// What a program inside the arguments does that the name of the command does not say.
pub(super) fn inside(name: &str, words: &[Resolved]) -> Option<Doubt> {
    let texts = || words.iter().skip(1).map(|word| word.text.as_str());
    let runs = |text: String| Some(Doubt { about: About::Program, text });
    let told = |about: Option<About>, language: &str| {
        about.map(|about| Doubt { about, text: format!("the program for `{language}`") })
    };
    match name {
        "sed" | "gsed" => {
            let Some(found) = sed_scripts(words) else { return runs("an option of `sed`".into()) };
            told(worst(found.into_iter().map(scripts::sed)), "sed")
        }
        "awk" | "gawk" | "mawk" | "nawk" => told(worst(texts().map(scripts::awk)), "awk"),
        "jq" | "yq" => {
            let reads = |text: &str| ["import", "include", "load"].iter().any(|word| text.contains(word));
            told(texts().any(reads).then_some(About::Files), name)
        }
        "sqlite3" | "psql" | "mysql" | "mariadb" | "duckdb" => told(worst(texts().map(scripts::sql)), name),
        "make" | "gmake" => {
            let sets = |text: &&str| {
                text.split_once('=').is_some_and(|(name, value)| {
                    name.ends_with('!')
                        || value.contains([
                            '$', '`', ';', '&', '|', '<', '>', '(', ')', '\'', '"', '\\', '\n', '#',
                        ])
                        || RUNNING_FLAGS.iter().any(|flag| value.contains(flag))
                        || is_changed(name.trim_end_matches([':', '+', '?']), value)
                })
            };
            let by_input = || is_fed(words).then(|| format!("`{name}` with rules from its input"));
            let is_let = |text: &&str| !text.starts_with('-') && sets(text);
            texts().find(is_let).map(|text| format!("`{name} {text}`")).or_else(by_input).and_then(runs)
        }
        "python" | "python2" | "python3" | "pypy" | "pypy3" => {
            let module = python_module(words)?;
            // These run another module in turn, and `pip` an editor.
            let passes_on = matches!(module, "cProfile" | "profile" | "trace" | "pstats")
                && texts().filter(|text| text.starts_with("-m") || text.starts_with("--m")).count() > 1;
            let edits = module == "pip" && texts().any(|text| text == "config");
            (RUNNERS.contains(&module) || passes_on || edits)
                .then(|| format!("`{name} -m {module}`"))
                .and_then(runs)
        }
        // `tar cT list`: flags without a dash; `host:archive`: another machine's shell.
        "tar" => {
            let bare = texts().next().filter(|text| !text.starts_with('-') && text.contains(['I', 'F']));
            let far = || {
                texts().find(|text| {
                    !text.starts_with('-') && text.split('/').next().is_some_and(|host| host.contains(':'))
                })
            };
            if let Some(text) = bare.or_else(far) {
                return runs(format!("`{name} {text}`"));
            }
            let listed = texts().next().filter(|text| !text.starts_with('-') && text.contains('T'));
            listed.map(|text| Doubt { about: About::Files, text: format!("`{name} {text}`") })
        }
        "git" => texts()
            .find(|text| text.contains("::"))
            .filter(|text| is_helper(text))
            .map(|text| format!("`git` runs `{text}`"))
            .and_then(runs),
        "vim" | "vi" => {
            texts().find(|text| text.starts_with('+')).map(|text| format!("`{name} {text}`")).and_then(runs)
        }
        "gcc" | "cc" | "clang" | "g++" | "clang++" | "c++" | "ld" => {
            let loads = |text: &&str| {
                text.contains("plugin")
                    || text.starts_with('@')
                    || text.contains("-load")
                    || text.starts_with("-fuse-ld")
            };
            texts().find(loads).map(|text| format!("`{name} {text}`")).and_then(runs)
        }
        "cmake" => {
            // What follows goes to the program that builds.
            let passed = || {
                texts().skip_while(|text| *text != "--").skip(1).find(|text| text.contains(['=', '$', '`']))
            };
            let found = texts().find(|text| sets_program(text)).or_else(passed);
            found.map(|text| format!("`{name} {text}`")).and_then(runs)
        }
        "npm" | "yarn" | "pnpm" => {
            // A script of this name that nobody wrote is the program.
            if texts().any(|text| text == "env")
                && texts().any(|text| matches!(text, "run" | "run-script" | "rum" | "urn"))
            {
                return runs(format!("`{name} run env`"));
            }
            let is_init = texts().next().is_some_and(|sub| matches!(sub, "init" | "create"));
            let package = operand(name, &words[1..]).filter(|_| is_init);
            package.map(|text| format!("`{name} init {text}`")).and_then(runs)
        }
        "go" => texts()
            .find(|text| text.contains("extld") || text.contains("toolexec"))
            .map(|text| format!("`{name} {text}`"))
            .and_then(runs),
        "cargo" | "rustc" => {
            let links = |text: &&str| text.contains("linker") || text.contains("codegen-backend");
            texts().find(links).map(|text| format!("`{name} {text}`")).and_then(runs)
        }
        _ => None,
    }
}

/// The first operand behind a subcommand; the value of an option is none.
fn operand<'w>(name: &str, words: &'w [Resolved]) -> Option<&'w str> {
    let program = Table::get().program(name)?;
    let mut rest = words.iter().skip(1).map(|word| word.text.as_str());
    while let Some(text) = rest.next() {
        if !text.starts_with('-') {
            return Some(text);
        }
        if program.valued.contains(&text) || program.reads.contains(&text) {
            rest.next();
        }
    }
    None
}

/// Does a variable with this value change what programs do?
fn is_changed(name: &str, value: &str) -> bool {
    let table = Table::get();
    table.is_special(name) && !harmless::fits(value, table.harmless_values(name), &[], "/")
}

/// Does a definition for `cmake` name a program, or a file of `cmake` that it has to read?
fn sets_program(text: &str) -> bool {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.split(':').next().unwrap_or(name);
    let bare = name.trim_start_matches("-D").trim();
    let is_strange =
        bare.starts_with("CMAKE_") && !HARMLESS_OF_CMAKE.iter().any(|known| wildcard::matches(bare, known));
    let names_one = is_strange
        || NAMES_OF_PROGRAMS.iter().any(|part| name.contains(part))
        || name.ends_with("_COMMAND")
        || (name.contains("CMAKE_PROJECT_") && name.ends_with("_INCLUDE"));
    let is_text = |sign: char| matches!(sign, ';' | '`' | '$' | '|' | '&');
    let runs_one = name.contains("FLAGS")
        && (RUNNING_FLAGS.iter().any(|flag| value.contains(flag)) || value.contains(is_text));
    (names_one && !COMPILERS.contains(&value)) || runs_one
}

fn worst(found: impl Iterator<Item = Option<About>>) -> Option<About> {
    found.flatten().min_by_key(|about| *about != About::Program)
}

/// `ext::…`, `fd::…`: git runs a helper of that name.
fn is_helper(text: &str) -> bool {
    text.split_once("::").is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

/// The programs that sed is given, or `None` if an option is not known.
fn sed_scripts(words: &[Resolved]) -> Option<Vec<&str>> {
    let mut rest = words.iter().skip(1).map(|word| word.text.as_str());
    let (mut scripts, mut first, mut given, mut ended) = (Vec::new(), None, false, false);
    while let Some(text) = rest.next() {
        if ended || text == "-" || !text.starts_with('-') {
            first = first.or(Some(text));
            continue;
        }
        if text == "--" {
            ended = true;
        } else if let Some(long) = text.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            if !name.is_empty() && "expression".starts_with(name) {
                given = true;
                scripts.push(match value {
                    Some(value) => value,
                    None => rest.next().unwrap_or_default(),
                });
            } else if "file".starts_with(name) && name.starts_with("fi") {
                // Its flag is risky by itself.
                given = true;
                if value.is_none() {
                    rest.next();
                }
            } else if ![
                "quiet",
                "silent",
                "in-place",
                "regexp-extended",
                "separate",
                "null-data",
                "zero-terminated",
                "posix",
                "sandbox",
                "unbuffered",
                "debug",
                "follow-symlinks",
                "binary",
                "help",
                "version",
                "line-length",
            ]
            .iter()
            .any(|known| known.starts_with(name))
            {
                return None;
            }
        } else {
            for (at, letter) in text[1..].char_indices() {
                let attached = &text[1 + at + letter.len_utf8()..];
                match letter {
                    'n' | 'r' | 'E' | 's' | 'u' | 'z' | 'b' => {}
                    'i' => break,
                    'e' | 'f' | 'l' => {
                        given |= letter != 'l';
                        let value =
                            if attached.is_empty() { rest.next().unwrap_or_default() } else { attached };
                        if letter == 'e' {
                            scripts.push(value);
                        }
                        break;
                    }
                    _ => return None,
                }
            }
        }
    }
    if !given {
        scripts.extend(first);
    }
    Some(scripts)
}

/// The module that Python runs, however its flag is written.
fn python_module(words: &[Resolved]) -> Option<&str> {
    let mut rest = words.iter().skip(1).map(|word| word.text.as_str());
    while let Some(text) = rest.next() {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        if let Some((_, module)) = letters.split_once('m') {
            return if module.is_empty() { rest.next() } else { Some(module) };
        }
        if letters.ends_with(['W', 'X']) {
            rest.next();
        }
    }
    None
}

/// Does `make` read its rules from a pipe, whatever that is called?
fn is_fed(words: &[Resolved]) -> bool {
    let is_pipe = |word: &Resolved, file: &str| {
        !word.is_static || file == "-" || path::is_harmless(file) || file.starts_with("/proc/")
    };
    let names_file = |flag: &str| {
        (flag.starts_with("--f") && "--file".starts_with(flag))
            || (flag.starts_with("--mak") && "--makefile".starts_with(flag))
            || (flag.starts_with('-') && !flag.starts_with("--") && flag.ends_with('f'))
    };
    let attached = |word: &Resolved| {
        let text = word.text.as_str();
        let long = text
            .split_once('=')
            .filter(|(flag, _)| names_file(flag) && flag.starts_with("--"))
            .map(|(_, file)| file);
        let short = || {
            text.split_once('f')
                .filter(|(flags, _)| text.starts_with('-') && !text.starts_with("--") && !flags.contains('='))
        };
        let file = long.or_else(|| short().map(|(_, file)| file));
        file.is_some_and(|file| !file.is_empty() && is_pipe(word, file))
    };
    words.windows(2).any(|pair| names_file(&pair[0].text) && is_pipe(&pair[1], &pair[1].text))
        || words.iter().skip(1).any(attached)
}
