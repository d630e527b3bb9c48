//! A test can stop the model where it wants, without sleeping.

use praxis_testkit::{Client, Format, ModelServer};
use serde_json::json;

#[tokio::test]
async fn an_answer_stops_at_a_place_of_the_script() {
    let server = ModelServer::play("- { parts: [{ say: One }, { hold: here }, { say: Two }] }").await;
    let mut client = Client::connect(server.address()).await;
    client.send(&Format::Gemini.path("m"), &json!({})).await;
    client.head().await.unwrap();
    let first = String::from_utf8(client.chunk().await.unwrap()).unwrap();
    assert!(first.contains("One"), "{first}");
    server.until_held("here").await;
    server.pass("here");
    let second = String::from_utf8(client.chunk().await.unwrap()).unwrap();
    assert!(second.contains("Two"), "{second}");
}

#[tokio::test]
async fn a_place_can_be_passed_before_it_is_reached() {
    let server = ModelServer::play("- { hold: here, say: One }").await;
    server.pass("here");
    let reply =
        Client::connect(server.address()).await.post(&Format::Chat.path("m"), &json!({})).await.unwrap();
    assert!(reply.is_whole);
}

#[tokio::test]
async fn no_answer_begins_while_the_server_holds() {
    let server = ModelServer::play("[one, two]").await;
    server.hold();
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = Client::connect(server.address()).await;
        client.send(&Format::Chat.path("m"), &json!({})).await;
        clients.push(client);
    }
    server.until_requests(2).await;
    assert_eq!(server.player().left(), 2);
    server.release();
    for client in &mut clients {
        assert_eq!(client.head().await.unwrap().0, 200);
    }
    assert_eq!(server.player().left(), 0);
}

#[tokio::test]
async fn a_client_that_goes_at_a_hold_is_noticed() {
    let server = ModelServer::play("- { hold: here, say: One }").await;
    let mut client = Client::connect(server.address()).await;
    client.send(&Format::Responses.path("m"), &json!({})).await;
    server.until_held("here").await;
    drop(client);
    server.until_gone(1).await;
}
