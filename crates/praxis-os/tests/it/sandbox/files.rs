//! Writing outside, reading what is hidden.

use std::os::unix::fs::symlink;

use praxis_os::sandbox::Policy;

use crate::lab::Lab;

#[test]
fn writing_works_inside_and_nowhere_else() {
    let lab = Lab::new();
    let policy = lab.policy();
    let inside = "echo new > file && mkdir -p a/b && mv file a/b/ && ln a/b/file hard && ln -s hard soft && rm -r a \
                  && truncate -s 1 hard && mkfifo pipe && cat soft";
    assert_eq!(lab.contained(&policy, inside).text, "n");

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
        let text = lab.refuses(&policy, escape);
        assert!(text.contains("Permission denied"), "{escape}: {text}");
    }
}

#[test]
fn links_and_renames_carry_nothing_out_or_in() {
    let lab = Lab::new();
    let policy = lab.policy();
    symlink(&lab.outside, lab.inside.join("way-out")).unwrap();
    lab.refuses(&policy, "echo new > way-out/file");
    lab.refuses(&policy, "ln $OUTSIDE/file hard && echo new > hard && rm hard");
    lab.refuses(&policy, "cd /proc/self/root && echo new > .$OUTSIDE/file");
    lab.refuses(&policy, "mv $OUTSIDE/file stolen && mv stolen $OUTSIDE/file");
}

#[test]
fn a_link_as_root_means_its_target() {
    let lab = Lab::new();
    let link = lab.outside.join("link");
    symlink(&lab.inside, &link).unwrap();
    let policy = Policy { writable: vec![link], ..Policy::default() };
    assert_eq!(lab.report(&policy).policy.writable, std::slice::from_ref(&lab.inside));
    assert!(lab.contained(&policy, "echo new > file").ok);
    lab.refuses(&policy, "echo new > $OUTSIDE/file");
}

#[test]
fn a_link_that_a_command_planted_is_no_root() {
    let lab = Lab::new();
    symlink(&lab.outside, lab.inside.join("sub")).unwrap();
    let mut policy = lab.policy();
    policy.writable.push(lab.inside.join("sub"));
    let report = lab.report(&policy);
    assert_eq!(report.policy.writable, std::slice::from_ref(&lab.inside));
    assert!(report.notes[0].contains("is a link in a writable folder"), "{:?}", report.notes);
    lab.refuses(&policy, "echo new > $OUTSIDE/file");
}

#[test]
fn a_single_file_can_be_writable() {
    let lab = Lab::new();
    std::fs::write(lab.outside.join("other"), "").unwrap();
    let policy = Policy { writable: vec![lab.outside.join("file")], ..Policy::default() };
    assert!(lab.contained(&policy, "echo new > $OUTSIDE/file").ok);
    lab.refuses(&policy, "echo new > $OUTSIDE/other");
}

#[test]
fn what_is_unreadable_cannot_be_read_by_any_name() {
    let lab = Lab::new();
    let secret = lab.outside.join("secret");
    std::fs::create_dir(&secret).unwrap();
    std::fs::write(secret.join("key"), "hidden").unwrap();
    std::fs::write(lab.outside.join("token"), "hidden").unwrap();
    std::fs::create_dir(lab.outside.join("beside")).unwrap();
    std::fs::write(lab.outside.join("beside/text"), "seen").unwrap();
    symlink(&secret, lab.inside.join("link")).unwrap();
    let policy = Policy { unreadable: vec![secret, lab.outside.join("token")], ..lab.policy() };

    let escapes = [
        "cat $OUTSIDE/secret/key",
        "cat $OUTSIDE/token",
        "cat link/key",
        "cat /proc/self/root$OUTSIDE/token",
        "cd $OUTSIDE/secret && cat key",
        "cp $OUTSIDE/token copy",
        "ln $OUTSIDE/token hard && cat hard; s=$?; rm -f hard; exit $s",
        "grep -r hidden $OUTSIDE/secret",
    ];
    for escape in escapes {
        let text = lab.refuses(&policy, escape);
        assert!(!text.contains("hidden"), "{escape}: {text}");
    }
    assert_eq!(lab.contained(&policy, "cat $OUTSIDE/beside/text $OUTSIDE/file").text, "seenold\n");
    assert_eq!(lab.contained(&policy, "ls $OUTSIDE | wc -l").text.trim(), "4");
}

#[test]
fn an_unreadable_link_means_its_target() {
    let lab = Lab::new();
    std::fs::write(lab.outside.join("token"), "hidden").unwrap();
    symlink(lab.outside.join("token"), lab.inside.join("link")).unwrap();
    let policy = Policy { unreadable: vec![lab.inside.join("link")], ..lab.policy() };
    lab.refuses(&policy, "cat $OUTSIDE/token");
}

#[test]
fn harmless_devices_work_and_disks_and_device_nodes_do_not() {
    let lab = Lab::new();
    let policy = lab.policy();
    let devices = "head -c 3 /dev/zero > /dev/null && head -c 3 /dev/urandom | wc -c && echo x > /dev/shm/praxis.$$ && \
                   rm /dev/shm/praxis.$$ && echo y > /dev/stdout && ls /dev > /dev/null";
    let said = lab.contained(&policy, devices);
    assert_eq!((said.ok, said.text.trim()), (true, "3\ny"));

    if lab.plain("mknod $OUTSIDE/node b 7 0").ok {
        assert!(!lab.contained(&policy, "mknod node b 7 0").ok);
        assert!(!lab.contained(&policy, "mknod node c 1 1").ok);
    }
    let disk = "for d in /dev/vd? /dev/sd? /dev/nvme?n? /dev/loop?; do head -c 1 $d > /dev/null && exit 0; done; exit 1";
    if lab.plain(disk).ok {
        assert!(!lab.contained(&policy, disk).ok);
    }
}
