//! Writing outside, reading what is hidden: whatever holds the view.

use std::os::unix::fs::symlink;

use praxis_os::sandbox::{Place, View};

use crate::lab::{Lab, Mode};

#[test]
fn writing_works_inside_and_nowhere_else() {
    for lab in &Lab::all() {
        let view = lab.view_with([Place::read(&lab.outside)]);
        let inside = "echo new > file && mkdir -p a/b && mv file a/b/ && ln a/b/file hard && ln -s hard soft && rm -r a \
                      && truncate -s 1 hard && mkfifo pipe && cat soft";
        assert_eq!(lab.contained(&view, inside).text, "n");

        let escapes = [
            "echo new > $OUTSIDE/file",
            "echo new >> $OUTSIDE/file",
            "echo new > $OUTSIDE/new1",
            "truncate -s 0 $OUTSIDE/file",
            "mkdir $OUTSIDE/folder",
            "touch $OUTSIDE/new2 && rm $OUTSIDE/new2",
            "echo x > x; mv x $OUTSIDE/x",
            "echo y > y; cp y $OUTSIDE/y",
            "ln -s / $OUTSIDE/root",
            "mkfifo $OUTSIDE/pipe",
        ];
        for escape in escapes {
            let text = lab.refuses(&view, escape);
            assert!(text.contains("denied") || text.contains("Read-only"), "{escape}: {text}");
        }
    }
}

#[test]
fn a_view_without_writable_places_changes_nothing_however_it_is_spelled() {
    for lab in &Lab::all() {
        let mut view = lab.view_with([Place::read(&lab.inside), Place::read(&lab.outside)]);
        view.places.retain(|place| place.access != praxis_os::sandbox::Access::Write);
        let writes = [
            "echo new > file",
            "rm file",
            "mv file other",
            "touch new",
            "mkdir folder",
            "ln file hard",
            "ln -s file soft",
            "chmod 700 file",
            "touch -d yesterday file",
            "sed -i s/old/new/ file",
            "cp file copy",
            "dd if=/dev/zero of=file bs=1 count=1",
            "truncate -s 0 file",
            "python3 -c 'open(\"file\", \"r+\").write(\"x\")'",
            "python3 -c 'import os; os.setxattr(\"file\", \"user.x\", b\"y\")'",
            "python3 -c 'import os; os.utime(\"file\")'",
        ];
        for script in writes {
            let said = lab.contained(&view, script);
            assert!(!said.ok, "got through ({:?}): {script}", lab.mode());
        }
        assert_eq!(std::fs::read_to_string(lab.inside.join("file")).unwrap(), "old\n");
        assert_eq!(lab.contained(&view, "cat file && ls | wc -l").text, "old\n1\n");
    }
}

#[test]
fn links_and_renames_carry_nothing_out_or_in() {
    for lab in &Lab::all() {
        let view = lab.view_with([Place::read(&lab.outside)]);
        symlink(&lab.outside, lab.inside.join("way-out")).unwrap();
        lab.refuses(&view, "echo new > way-out/file");
        lab.refuses(&view, "ln $OUTSIDE/file hard && echo new > hard && rm hard");
        lab.refuses(&view, "cd /proc/self/root && echo new > .$OUTSIDE/file");
        lab.refuses(&view, "cd /proc/$$/cwd/../outside && echo new > file");
        lab.refuses(&view, "mv $OUTSIDE/file stolen && mv stolen $OUTSIDE/file");
    }
}

#[test]
fn a_single_file_can_be_writable() {
    for lab in &Lab::all() {
        lab.file("outside/other", "");
        let view = lab.view_with([Place::write(lab.outside.join("file"))]);
        let said = lab.contained(&view, "echo new > $OUTSIDE/file");
        assert!(said.ok, "{:?} {}", lab.mode(), said.text);
        assert_eq!(std::fs::read_to_string(lab.outside.join("file")).unwrap(), "new\n");
        lab.refuses(&view, "echo new > $OUTSIDE/other");
    }
}

#[test]
fn what_the_view_does_not_name_cannot_be_read_by_any_name() {
    for lab in &Lab::all() {
        lab.file("outside/secret/key", "hidden");
        lab.file("outside/token", "hidden");
        lab.file("outside/beside/text", "seen");
        symlink(lab.outside.join("secret"), lab.inside.join("link")).unwrap();
        let view = lab.view_with([Place::read(lab.outside.join("beside"))]);
        let escapes = [
            "cat $OUTSIDE/secret/key",
            "cat $OUTSIDE/token",
            "cat link/key",
            "cat /proc/self/root$OUTSIDE/token",
            "cat /proc/1/root$OUTSIDE/token || cat /proc/$PPID/root$OUTSIDE/token",
            "cd $OUTSIDE/secret && cat key",
            "cp $OUTSIDE/token copy",
            "ln $OUTSIDE/token hard && cat hard; s=$?; rm -f hard; exit $s",
            "grep -r hidden $OUTSIDE/secret",
        ];
        for escape in escapes {
            let contained = lab.contained(&view, escape);
            assert!(!contained.ok && !contained.text.contains("hidden"), "{escape}: {}", contained.text);
        }
        assert_eq!(lab.contained(&view, "cat $OUTSIDE/beside/text").text, "seen");
    }
}

#[test]
fn masked_places_in_readable_ones_are_not_read() {
    for lab in &Lab::all() {
        lab.file("outside/secret/key", "hidden");
        lab.file("outside/token", "hidden");
        let masked = ["secret", "token"].map(|name| Place::masked(lab.outside.join(name)));
        let view = lab.view_with([Place::read(&lab.outside)].into_iter().chain(masked));
        let said = lab.contained(&view, "cat $OUTSIDE/token $OUTSIDE/secret/key $OUTSIDE/file");
        assert!(said.text.contains("old") && !said.text.contains("hidden"), "{}", said.text);
        if lab.mode() != Mode::LandlockOnly {
            let said =
                lab.contained(&view, "cat $OUTSIDE/token && ls $OUTSIDE/secret && ls $OUTSIDE | wc -l");
            assert_eq!((said.ok, said.text.as_str()), (true, "3\n"), "a masked file looks empty");
        }
    }
}

#[test]
fn harmless_devices_work_and_disks_and_device_nodes_do_not() {
    for lab in &Lab::all() {
        let view = lab.view();
        let devices = "head -c 3 /dev/zero > /dev/null && head -c 3 /dev/urandom | wc -c && echo x > /dev/shm/praxis.$$ \
                       && rm /dev/shm/praxis.$$ && echo y | cat /dev/stdin && ls /dev > /dev/null";
        let said = lab.contained(&view, devices);
        assert_eq!((said.ok, said.text.trim()), (true, "3\ny"), "{:?}", lab.mode());

        if lab.plain("mknod $OUTSIDE/node b 7 0").ok {
            assert!(!lab.contained(&view, "mknod node b 7 0").ok);
            assert!(!lab.contained(&view, "mknod node c 1 1").ok);
        }
        let disk = "for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/loop?; do head -c 1 $d > /dev/null && exit 0; done; exit 1";
        if lab.plain(disk).ok {
            assert!(!lab.contained(&view, disk).ok);
        }
    }
}

#[test]
fn a_named_device_can_be_used() {
    for lab in &Lab::trees() {
        let view = lab.view_with([Place::write("/dev/null")]);
        assert!(lab.contained(&view, "echo x > /dev/null").ok);
        let none = View { places: Vec::new(), ..View::default() };
        assert!(view.prepare(&lab.mechanisms()).is_ok() && none.prepare(&lab.mechanisms()).is_ok());
    }
}
