//! What JavaScript may say, and tricks that it must not get away with.

use proptest::prelude::*;

use super::read;

fn touches(code: &str) -> Option<bool> {
    read(code).map(|reading| reading.touches)
}

#[test]
fn code_that_computes_and_prints_is_known() {
    for code in [
        "console.log(1)",
        "x",
        "console.log(require('./package.json').version)",
        "require('./package.json').dependencies",
        "const p = require('./package.json'); console.log(Object.keys(p.dependencies).length)",
        "process.version",
        "console.log(process.argv[2], process.env.HOME)",
        "process.env['HOME']",
        "require('os').cpus().length",
        "require('node:crypto').randomUUID()",
        "const crypto = require('crypto'); console.log(crypto.createHash('sha256').update('x').digest('hex'))",
        "const [a, b] = [1, 2]; for (const x of [a, b]) console.log(`${x}`)",
        "let [a] = [[1]]; for (let [k, v] of [[1, 2]]) console.log(k, ...[v])",
        "console.log(require('url').parse('https://example.com/a').host)",
        "console.log([1,2,3].map(x => [x, x * x]).filter(x => x[0] > 1), 'a\\nb')",
        "JSON.stringify({a: [1]}, null, 2)",
        "new Date().toISOString()",
        "console.log('→ ✓')",
    ] {
        assert_eq!(touches(code), Some(false), "{code}");
    }
    let loads = read("require('./a'); require(\"../b\")").map(|reading| reading.loads);
    assert_eq!(loads, Some(vec!["./a".to_owned(), "../b".to_owned()]));
}

#[test]
fn code_that_touches_files_is_told() {
    for code in [
        "console.log(require('fs').readFileSync('a.json', 'utf8'))",
        "const fs = require('node:fs'); fs.writeFileSync('a', 'b')",
        "fs.readdirSync('.').length",
    ] {
        assert_eq!(touches(code), Some(true), "{code}");
    }
}

#[test]
fn no_trick_is_known() {
    for code in [
        "require('child_process').execSync('x')",
        "child_process",
        "require('node:child_process')",
        "require('child_' + 'process')",
        "require(`fs`)",
        "require(x)",
        "require",
        "r = require",
        "require ('fs', 1)",
        "require('fs' )( )[k]",
        "require.cache",
        "require.main.require('x')",
        "x.require('./y')",
        "require('/etc/x')",
        "require('mine')",
        "require('module')",
        "require('.\\u002fx')",
        "[].constructor.constructor('x')()",
        "x['con'+'structor']",
        "({})['constructor']",
        "({})[k]",
        "x={}[k]",
        "x?.[k]",
        "x ?. [k]",
        "x\n[k]",
        "x//;\n[k]",
        "x/*;*/[k]",
        "x<!--;\n[k]",
        "'a'[k]",
        "`a`[k]",
        "/a/[k]",
        "f()[k]",
        "x[0][k]",
        "x![k]",
        "x[`a`]",
        "x[`con${'structor'}`]",
        "x['con\\structor']",
        "x['\\143onstructor']",
        "const {'con\\structor': C} = f",
        "const {'\\143onstructor': C} = f",
        "const {'con\\\nstructor': C} = f",
        "const {[k]: C} = f",
        "const {[k] : C} = f",
        "const {constructor: C} = f",
        "of = Object; of[k]",
        "of = Object; {} of [k]",
        "of = Object; x\nof [k]",
        "of = Object; for (x of of [k]) y",
        "let = Object; x = let[k]",
        "let = Object; (let[k])",
        "`${let[k]}`",
        "await = Object; await[k]",
        "x.in[k]",
        "x.return [k]",
        "\\u0065val('1')",
        "'\\x65val'",
        "eval('1')",
        "`${eval('1')}`",
        "new Function('x')()",
        "globalThis.x",
        "global.x",
        "this.x",
        "self.x",
        "(function () { return this })()",
        "process.binding('x')",
        "process['binding']('x')",
        "process",
        "p = process",
        "const {binding: b} = process",
        "process.mainModule.require('x')",
        "process.dlopen({}, 'x')",
        "process.getBuiltinModule('x')",
        "process?.kill(1)",
        "Reflect.get(x, k)",
        "Object.getPrototypeOf(x)",
        "Object.getOwnPropertyDescriptor(x, k)",
        "x.__proto__",
        "x.__defineGetter__(k, f)",
        "new Proxy(x, y)",
        "with (x) y",
        "import('x')",
        "import x from 'y'",
        "arguments[1]('x')",
        "f.caller",
        "Error.prepareStackTrace = f",
        "crypto.setEngine('x')",
        "Object.values(crypto)",
        "const c = require('crypto')",
        "Object.values(require('crypto'))",
        "fetch('https://x')",
        "http.get('x')",
        "require('http')",
        "require('net')",
        "new Worker('x')",
        "Bun.spawn(['x'])",
        "require('fs').rmSync('x')",
        "fs.unlinkSync('x')",
        "module.constructor",
        "vm.runInThisContext('x')",
        "require('v8')",
        "ｅｖａｌ('1')",
        "x\u{2028}[k]",
        "x\u{a0}[k]",
        "x\r[k]",
        "\\",
    ] {
        assert_eq!(touches(code), None, "{code}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_to_its_end(code in r#"(require|process|crypto| of |let|['"`\[\]{}().,;:= \n\\/]|\PC){0,24}"#) {
        let _ = read(&code);
    }
}
