//! Connecting out, over the network and by Unix sockets.

use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener};

use praxis_os::sandbox::{Network, Place, View};

use crate::lab::Lab;

#[test]
fn without_a_network_nothing_connects() {
    for lab in &Lab::all() {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (tcp, udp) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let escapes = [
            format!("exec 3<>/dev/tcp/127.0.0.1/{tcp}"),
            format!("echo x > /dev/udp/127.0.0.1/{udp}"),
            format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {tcp}))'"),
            "python3 -c 'import socket; socket.socket().bind((\"127.0.0.1\", 0))'".to_owned(),
            "python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)'".to_owned(),
        ];
        for escape in &escapes {
            let text = lab.refuses(&lab.view(), escape);
            assert!(text.contains("not permitted"), "{escape}: {text}");
            let allowed = View { network: Network::Allow, ..lab.view() };
            let said = lab.contained(&allowed, escape);
            assert!(said.ok, "{escape}: {}", said.text);
        }
    }
}

#[test]
fn loopback_reaches_the_commands_own_servers_and_nothing_else() {
    for lab in &Lab::all() {
        let view = View { network: Network::Loopback, ..lab.view() };
        if lab.report(&view).view.network == Network::Deny {
            continue; // No namespace here; that it is said is tested elsewhere.
        }
        let outer = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = outer.local_addr().unwrap().port();
        lab.refuses(&view, &format!("exec 3<>/dev/tcp/127.0.0.1/{port}"));

        let own = "
import socket, os
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
server.accept()[0].send(b'hello')
print(client.recv(9), os.getuid() == int(os.environ.get('WHO', os.getuid())), socket.getaddrinfo('localhost', 80)[0][4])
";
        let (plain, contained) = lab.python(&view, own);
        assert_eq!((plain.ok, plain.text.clone()), (true, plain.text));
        assert!(contained.ok, "{}", contained.text);
        assert!(contained.text.starts_with("b'hello' True"), "{}", contained.text);
        assert!(!lab.contained(&view, "echo new > $OUTSIDE/file").ok);
    }
}

#[test]
fn a_loopback_that_cannot_be_had_becomes_deny_and_is_said() {
    for lab in &Lab::all() {
        let mut mechanisms = lab.mechanisms();
        mechanisms.namespaces = None;
        let view = View { network: Network::Loopback, ..lab.view() };
        let report = view.prepare(&mechanisms).unwrap().report().clone();
        assert_eq!(report.view.network, Network::Deny);
        assert_eq!(
            report.gaps[0].to_string(),
            "no network namespace can be had, so that `loopback` means `deny`"
        );
        assert!(View { required: true, ..view }.prepare(&mechanisms).is_err());
    }
}

#[test]
fn sockets_of_other_programs_are_out_of_reach() {
    for lab in &Lab::all() {
        let _stream = UnixListener::bind(lab.outside.join("stream")).unwrap();
        lab.own(&lab.outside.join("stream"));
        let _datagram = UnixDatagram::bind(lab.outside.join("datagram")).unwrap();
        lab.own(&lab.outside.join("datagram"));
        let stream = "python3 -c 'import socket, os
socket.socket(socket.AF_UNIX).connect(os.environ[\"OUTSIDE\"] + \"/stream\")'";
        let pair = "python3 -c 'import socket, os
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
a.sendto(b\"x\", os.environ[\"OUTSIDE\"] + \"/datagram\")'";
        for network in [Network::Deny, Network::Allow, Network::Loopback] {
            let view = View { network, ..lab.view() };
            lab.refuses(&view, stream);
            lab.refuses(&view, pair);
        }
        let open = View { unix_sockets: true, ..lab.view_with([Place::read(&lab.outside)]) };
        assert!(lab.contained(&open, stream).ok);
        assert!(lab.contained(&lab.view(), "python3 -c 'import socket; socket.socketpair()'").ok);
    }
}

#[test]
fn abstract_sockets_are_out_of_reach() {
    use std::os::linux::net::SocketAddrExt;
    for lab in &Lab::all() {
        let name = format!("praxis-sandbox-{}", std::process::id());
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let _listener = UnixListener::bind_addr(&address).unwrap();
        let script =
            format!("python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"\\0{name}\")'");
        lab.refuses(&lab.view(), &script);
    }
}
