// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchRPC

/// The clients that do not behave, each kind with threads and networks of its own.
struct Abusers: Sendable {
    let scene: Scene
    /// A message of four kilobytes that expands to four megabytes.
    let expanding: [UInt8]

    /// Begins all kinds of abuse; they end with the scene.
    func begin() {
        for number in 0..<4 { scene.repeating(every: 0.05) { expand($0, "127.60.\(number).1", isKnown: number == 0) } }
        for number in 0..<2 { scene.repeating(every: 0.005) { inventKey($0 * 2 + number) } }
        for number in 0..<8 { scene.repeating(every: 0.05) { signUp($0 * 8 + number) } }
        for number in 0..<2 { scene.repeating(every: 0.02) { forgetPassword($0 * 2 + number) } }
        for number in 0..<2 { scene.repeating(every: 0.01) { reset($0 * 2 + number) } }
        for number in 0..<2 { scene.repeating(every: 0.01) { sendGarbage($0 * 2 + number) } }
        scene.repeating(every: 0.2) { _ in
            hold("half-open connections", atMost: 300, Array("POST /auth/login HTT".utf8))
        }
        scene.repeating(every: 0.2) { _ in drip() }
    }

    private func connection(_ number: Int, in network: Int) -> PlainConnection? {
        PlainConnection(
            from: "127.\(network).\(number >> 6 & 255).\(1 + (number & 63))", port: scene.port, timeout: 10)
    }

    /// Sends the expanding message, without a token or with one.
    private func expand(_ number: Int, _ address: String, isKnown: Bool) {
        guard let connection = PlainConnection(from: address, port: scene.port) else { return }
        var fields = ["Content-Type: application/proto", "Content-Encoding: gzip"]
        if isKnown {
            let account: JSONValue = ["email": "eve@example.com", "password": .string(AbuseClient.password)]
            for path in number == 0 ? ["/auth/signup", "/auth/login"] : ["/auth/login"] {
                let response = connection.response(
                    to: "POST", path, ["Content-Type: application/json"], account.serialized())
                if path == "/auth/signup", response?.status == 201 { scene.promise(.verify, to: "eve@example.com") }
                let token = response.flatMap { try? JSONValue(parsing: $0.content) }?["accessToken"]?.stringValue
                if let token { fields.append("Authorization: Bearer \(token)") }
            }
        }
        for _ in 0..<5 where !scene.isOver {
            _ = connection.response(to: "POST", "/userservice.v1.UserService/UpdateProfile", fields, expanding)
            scene.count("expanding messages")
        }
    }

    private func inventKey(_ number: Int) {
        guard let connection = connection(number, in: 61) else { return }
        _ = connection.response(
            to: "POST", "/oauth/revoke", ["Content-Type: application/x-www-form-urlencoded"],
            Array("token=x&client_id=client-\(number)&client_secret=x".utf8))
        scene.count("invented keys")
    }

    private func signUp(_ number: Int) {
        guard let connection = connection(number, in: 62) else { return }
        let email = "flood-\(number)@example.net"
        let account: JSONValue = ["email": .string(email), "password": .string(AbuseClient.password)]
        let response = connection.response(
            to: "POST", "/auth/signup", ["Content-Type: application/json"], account.serialized())
        scene.count("sign-ups of the flood")
        guard response?.status == 201 else { return }
        scene.promise(.verify, to: email)
        scene.count("accounts of the flood")
    }

    /// Requests mails for unknown addresses, and now and then for one that exists.
    private func forgetPassword(_ number: Int) {
        guard let connection = connection(number, in: 63) else { return }
        let isKnown = number % 50 == 0
        let email = isKnown ? "eve@example.com" : "nobody-\(number)@example.org"
        let json: JSONValue = ["email": .string(email)]
        let response = connection.response(
            to: "POST", "/api/auth/forgot-password", ["Content-Type: application/json"], json.serialized())
        if isKnown, response?.status == 200 { scene.promise(.reset, to: email) }
        scene.count("mails requested by the flood")
    }

    /// Ends a connection by a reset, in the head, in the content, or while the response is on its way.
    private func reset(_ number: Int) {
        guard let connection = connection(number, in: 64) else { return }
        connection.resetsAtClose()
        let head =
            "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
        let body = "{\"email\":\"r\(number % 10)@example.com\",\"password\":\"a long sentence\"}"
        let bytes = Array((head + body).utf8)
        connection.send(bytes.prefix([20, head.utf8.count + 9, bytes.count][number % 3]))
        scene.count("resets")
    }

    private func sendGarbage(_ number: Int) {
        guard let connection = connection(number, in: 65) else { return }
        var bytes = (0..<Int.random(in: 1...4000)).map { _ in UInt8.random(in: 0...255) }
        if number % 2 == 0 { bytes = Array("POST /auth/login HTTP/1.1\r\nHost: a\r\n".utf8) + bytes }
        connection.send(bytes)
        shutdown(connection.descriptor, Int32(SHUT_WR))
        while connection.response() != nil {}
        scene.count("connections with garbage")
    }

    /// Opens connections that say little and stay, as many as there may be until the server closes them.
    private func hold(_ name: String, atMost limit: Int, _ bytes: [UInt8]) {
        var open: [PlainConnection] = []
        for number in 0..<limit where !scene.isOver {
            guard let connection = connection(number, in: 66) else { continue }
            if number % 2 == 0 { connection.send(bytes) }
            open.append(connection)
            scene.count(name)
        }
        scene.pause(12)
        withExtendedLifetime(open) {}
    }

    /// Sends a request byte by byte, on a hundred connections.
    private func drip() {
        let connections = (0..<100).compactMap { connection($0, in: 67) }
        for byte in "POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n{".utf8 where !scene.isOver {
            for connection in connections { connection.send([byte]) }
            scene.pause(0.5)
        }
        scene.count("rounds of 100 slow clients")
    }
}
