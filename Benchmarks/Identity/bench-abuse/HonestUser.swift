// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore

/// A user whose app behaves: it waits as long as a response demands, and sends a lost request again.
///
/// It is `@unchecked Sendable` because one thread alone uses it.
final class HonestUser: @unchecked Sendable {
    private let scene: Scene
    private let address: String
    private let email: String
    private var connection: PlainConnection?
    private var access = "", refresh = ""

    init(_ scene: Scene, address: String, email: String) {
        self.scene = scene
        self.address = address
        self.email = email
    }

    /// Signs up a new account each time.
    func signUp(_ number: Int) {
        let email = "\(number)-\(email)"
        let sent = send(
            "sign-up", "/auth/signup", ["email": .string(email), "password": .string(AbuseClient.password)])
        if sent?.status == 201 { scene.promise(.verify, to: email) }
    }

    /// Requests a mail that resets the password.
    func forgetPassword() {
        let sent = send("forgot-password", "/api/auth/forgot-password", ["email": .string(email)])
        if sent?.status == 200 { scene.promise(.reset, to: email) }
    }

    /// Creates the account that the visits use.
    func begin() {
        let sent = send("first sign-up", "/auth/signup", credentials)
        if sent?.status == 201 { scene.promise(.verify, to: email) }
    }

    /// A login, and what an app does with it for some seconds.
    func visit() {
        keep(send("login", "/auth/login", credentials))
        for _ in 0..<3 {
            for _ in 0..<2 {
                _ = send("profile", "/user/profile", nil)
                scene.pause(Double.random(in: 0.2...1))
            }
            keep(send("refresh", "/auth/refresh", ["refreshToken": .string(refresh)]))
        }
        _ = send("logout", "/auth/logout", ["refreshToken": .string(refresh)])
    }

    private var credentials: JSONObject { ["email": .string(email), "password": .string(AbuseClient.password)] }

    private func keep(_ response: PlainConnection.Response?) {
        guard let response, let json = try? JSONValue(parsing: response.content) else { return }
        access = json["accessToken"]?.stringValue ?? access
        refresh = json["refreshToken"]?.stringValue ?? refresh
    }

    /// Sends a request until it succeeds, for as long as a user waits; records its time and its failures.
    private func send(_ name: String, _ path: String, _ json: JSONObject?) -> PlainConnection.Response? {
        guard !scene.isOver else { return nil }
        let begin = ContinuousClock.now
        var isRepeated = false
        var last = "no connection"
        while ContinuousClock.now - begin < .seconds(30) {
            let fields = ["Content-Type: application/json"] + (json == nil ? ["Authorization: Bearer \(access)"] : [])
            connection = connection ?? PlainConnection(from: address, port: scene.port)
            let response = connection?.response(
                to: json == nil ? "GET" : "POST", path, fields, json.map { JSONValue.object($0).serialized() } ?? [])
            // A sign-up whose response was lost has succeeded when it is repeated.
            let isDone = response.map { (200..<300).contains($0.status) || (isRepeated && $0.status == 409) } ?? false
            if isDone {
                // The time of repeated requests includes that of the restart.
                scene.record(isRepeated ? "repeated" : name, (ContinuousClock.now - begin) / .milliseconds(1))
                scene.count("honest requests")
                return response
            }
            last = response.map { "\($0.status) \(String(decoding: $0.content.prefix(120), as: UTF8.self))" } ?? last
            if response == nil { connection = nil }
            scene.count(response == nil ? "connections lost to honest users" : "honest requests put off")
            isRepeated = true
            Thread.sleep(forTimeInterval: min(response?.retryAfter ?? 0.25, 5))
        }
        scene.count("honest requests")
        scene.count("honest requests lost")
        scene.fail("\(name): \(last)")
        return nil
    }
}
