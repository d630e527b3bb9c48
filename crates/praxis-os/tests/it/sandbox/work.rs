//! Ordinary work goes on inside the sandbox.

use crate::lab::{Lab, has};

fn works(programs: &[&str], script: &str) {
    if !programs.iter().all(|program| has(program)) {
        return;
    }
    for lab in Lab::all() {
        let plain = lab.plain(script);
        if !plain.ok {
            continue; // The program is there but cannot do it here either.
        }
        let lab = Lab::new(lab.mode());
        let said = lab.contained(&lab.view(), script);
        assert!(said.ok, "{:?}: {script}: {}", lab.mode(), said.text);
        assert_eq!(said.text, plain.text);
    }
}

#[test]
fn git_commits() {
    works(
        &["git"],
        "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s \
         && git gc -q && git worktree add -q ../inside/w && git status --short",
    );
}

#[test]
fn a_program_is_built_and_run() {
    works(
        &["cc", "make"],
        "printf '#include <pthread.h>\\n#include <stdio.h>\\nvoid *f(void *x) { puts(\"thread\"); return x; }\\n\
         int main() { pthread_t t; return pthread_create(&t, 0, f, 0) || pthread_join(t, 0); }\\n' > p.c && \
         printf 'p: p.c\\n\\t@cc -o p p.c -pthread\\n' > Makefile && make -j2 -s && ./p",
    );
}

#[test]
fn python_starts_threads_and_processes() {
    works(
        &["python3"],
        "python3 -c '
import subprocess, threading, multiprocessing, concurrent.futures, tempfile, asyncio
t = threading.Thread(target=print, args=(\"thread\",)); t.start(); t.join()
print(subprocess.check_output([\"echo\", \"child\"]))
with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))
asyncio.run(asyncio.sleep(0))
tempfile.NamedTemporaryFile().write(b\"x\")
'",
    );
}

#[test]
fn node_starts_workers_and_processes() {
    works(
        &["node"],
        "node -e '
const { Worker } = require(\"worker_threads\");
const { execFileSync, spawn } = require(\"child_process\");
require(\"fs\").writeFileSync(\"out\", \"text\");
console.log(String(execFileSync(\"cat\", [\"out\"])));
new Worker(\"console.log(1)\", { eval: true }).on(\"exit\", () =>
  spawn(\"cat\", [\"out\"], { stdio: \"inherit\" }).on(\"close\", (code) => console.log(code)));
'",
    );
}

#[test]
fn shells_use_pipes_jobs_and_temporary_files() {
    works(
        &["bash"],
        "cat <<< here; diff <(echo a) <(echo a) && (true & wait $!) && mktemp > /dev/null && seq 3 | sort -r | head -1; \
         trap 'echo bye' EXIT; kill -0 $$",
    );
}
