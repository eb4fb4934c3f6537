// Rust: threads, a channel, a listener on localhost.
// run: bash -c 'rustc -o /tmp/crate crate.rs && /tmp/crate'
// needs: rustc
// loopback
// limits: {memory: 2Gi, cpuTime: 60s, pids: 128}
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::{sync::mpsc, thread};

fn main() {
    let (sender, receiver) = mpsc::channel();
    for n in 0..10 {
        let sender = sender.clone();
        thread::spawn(move || sender.send(n).unwrap());
    }
    drop(sender);
    let sum: i32 = receiver.iter().sum();
    let listener = TcpListener::bind("localhost:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || listener.accept().unwrap().0.write_all(b"hi").unwrap());
    let mut text = String::new();
    TcpStream::connect(address).unwrap().read_to_string(&mut text).unwrap();
    println!("{} {}", thread::available_parallelism().unwrap(), text);
    println!("{}", if sum == 45 && text == "hi" { "ok" } else { "no" });
}
