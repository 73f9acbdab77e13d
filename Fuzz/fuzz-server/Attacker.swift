// SPDX-License-Identifier: Apache-2.0

import CFuzzShim
import Foundation
import FuzzDriver
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting

@testable import LatchIdentity

/// The fuzzer as a group of clients: it sends the steps, learns tokens from the responses, and checks each of them.
final class Attacker {
    private let fixture: ServerFixture
    private let identity: Identity
    private let clock: ManualClock
    private let mailer: MemoryMailer
    private var connections: [Int: ClientConnection] = [:]
    private var expansion = Expansion()
    /// The access tokens that responses contained.
    private var issued: Set<[UInt8]> = []
    private var secondFactorSecret: [UInt8] = []

    /// Whether each response is printed, to read a finding or to write a seed: `FUZZ_TRACE=1 .build/fuzz/fuzz-server FILE`.
    private static let isTracing = ProcessInfo.processInfo.environment["FUZZ_TRACE"] != nil

    /// The bounds for one request; this build takes about twenty times as long as a release.
    private static let processorSeconds = 3.0
    private static let heapBytes: Int64 = 48 << 20

    init(_ fixture: ServerFixture, _ identity: Identity, _ clock: ManualClock, _ mailer: MemoryMailer) {
        self.fixture = fixture
        self.identity = identity
        self.clock = clock
        self.mailer = mailer
        expansion.variables = [
            UInt8(ascii: "p"): Array("a sentence of mallory".utf8), UInt8(ascii: "v"): Array(fixture.victimID.utf8),
            UInt8(ascii: "a"): [0x78], UInt8(ascii: "r"): [0x78], UInt8(ascii: "l"): [0x78], UInt8(ascii: "i"): [0x78],
            UInt8(ascii: "d"): [0x78],
            UInt8(ascii: "o"): [0x30],
        ]
    }

    func perform(_ step: Step) {
        switch step {
        case .advance(let seconds): clock.advance(by: .seconds(max(seconds, 0)))
        case .bytes(let client, let text):
            let bytes = expansion.bytes(text)
            let label = String(decoding: bytes.prefix(60), as: UTF8.self)
            bounded(label) {
                guard let connection = connection(of: client) else { return }
                connection.send(bytes)
                inspectRest(of: connection, client, bytes, label)
            }
        case .request(let request): perform(request)
        }
    }

    private func perform(_ request: Step.Request) {
        learnCurrentValues(for: request)
        let encoder = RequestEncoder(request: request, expansion: expansion)
        let label = "\(String(decoding: request.method, as: UTF8.self)) \(encoder.path)"
        bounded(label) {
            guard let connection = connection(of: request.client) else { return }
            let bytes = encoder.bytes()
            connection.send(bytes)
            guard encoder.isOneRequest else { return inspectRest(of: connection, request.client, bytes, label) }
            let isHead = request.method == Array("HEAD".utf8)
            let response = connection.readResponse(isHead: isHead)
            if response == nil || response?.fields.contains("\r\nconnection: close") == true {
                connections[request.client] = nil
            }
            guard let response else { return hold(false, "\(label) gets a response") }
            if Self.isTracing {
                print(label, response.status, String(decoding: response.content.prefix(200), as: UTF8.self))
            }
            Verdict(response: response, request: bytes, canaries: fixture.canaries).check(label)
            let mayPass = request.has("a") && issued.contains(expansion.variables[UInt8(ascii: "a")] ?? [])
            if !mayPass { Verdict.checkRejected(response, at: encoder.path, label) }
            learn(from: response)
        }
    }

    /// Checks everything that follows bytes that are no single request, after which the connection has ended.
    private func inspectRest(of connection: ClientConnection, _ client: Int, _ sent: [UInt8], _ label: String) {
        connection.endWriting()
        var response = ReceivedResponse()
        response.content = connection.readToEnd()
        connections[client] = nil
        Verdict(response: response, request: sent, canaries: fixture.canaries).check(label)
        hold(
            !String(decoding: response.content, as: UTF8.self).contains("HTTP/1.1 500"),
            "\(label) is no failure of the server")
    }

    private func connection(of client: Int) -> ClientConnection? {
        if connections[client] == nil { connections[client] = ClientConnection(port: fixture.port) }
        return connections[client]
    }

    /// Runs `body`, and checks the memory and the time that the server took for it.
    private func bounded(_ label: String, _ body: () -> Void) {
        fixture.memory?.resetPeak()
        heap_reset_peak()
        let (live, processor) = (heap_live_bytes(), heap_processor_seconds())
        body()
        let (heap, seconds) = (heap_peak_bytes() - live, heap_processor_seconds() - processor)
        hold(
            seconds < Self.processorSeconds,
            "\(label) takes less than \(Self.processorSeconds) seconds of the processor, not \(seconds)")
        let counted = Int64(fixture.memory?.peakBytes ?? 0)
        hold(heap < Self.heapBytes, "\(label) takes less than \(Self.heapBytes) bytes, not \(heap)")
        hold(heap < 2 * counted + (8 << 20), "\(label) is charged for its memory: \(heap) bytes, \(counted) charged")
    }

    /// Ends all connections, and checks what the input has left behind.
    func finish() {
        connections = [:]
        let deadline = ContinuousClock.now + .seconds(30)
        while fixture.connectionCount > 0 || fixture.memory?.heldBytes != 0 {
            hold(ContinuousClock.now < deadline, "no connection and no byte of a request is left")
            usleep(100)
        }
        let (identity, fixture) = (identity, fixture)
        let accounts = waiting { try await identity.services.store.accounts(after: nil, limit: 500) }
        hold(accounts.count >= 2, "no account of others is gone")
        for account in accounts where account.email?.text != "root@example.com" {
            hold(account.roles.isEmpty && account.permissions.isEmpty, "nobody becomes administrator")
        }
        hold(
            fixture.untouched.allSatisfy { before in accounts.contains(before) }, "no account of others changes")
    }
}

// MARK: - Learning

extension Attacker {
    /// Sets the variables that change with time: the mailed token and the code of the second factor.
    private func learnCurrentValues(for request: Step.Request) {
        let texts = request.target + request.content
        if !secondFactorSecret.isEmpty {
            let code = TOTP.code(secondFactorSecret, at: TOTP.step(of: clock.now))
            expansion.variables[UInt8(ascii: "o")] = Array(code.utf8)
        }
        guard texts.contains(UInt8(ascii: "l")) || texts.contains(UInt8(ascii: "L")), texts.contains(0x24) else {
            return
        }
        let mails = identity.services.mails
        waiting { await mails.flush() }
        // The attacker's mailboxes are those that begin with an m.
        let mail = mailer.messages.last { $0.recipient.hasPrefix("m") && $0.text.contains("token=") }
        guard let token = mail?.text.split(separator: "token=").last?.split(separator: "\n").first else { return }
        expansion.variables[UInt8(ascii: "l")] = Array(token.utf8)
    }

    private func learn(from response: ReceivedResponse) {
        let content = response.content
        if let start = position(of: "eyJ".utf8, in: content) {
            let token = Array(content[start...].prefix { Self.isTokenByte($0) })
            issued.insert(token)
            expansion.variables[UInt8(ascii: "a")] = token
        }
        guard let json = try? JSONValue(parsing: content) else {
            // In a message, ids are recognized by the date with which they begin.
            guard let start = position(of: "01a3185c-".utf8, in: content) else { return }
            return expansion.variables[UInt8(ascii: "i")] = Array(content[start...].prefix(36))
        }
        learn(from: json, "", of: "")
    }

    private func learn(from json: JSONValue, _ name: String, of parent: String) {
        if let object = json.objectValue {
            for (member, value) in object { learn(from: value, member, of: name) }
        } else if let array = json.arrayValue {
            for value in array.prefix(20) { learn(from: value, name, of: parent) }
        } else if let text = json.stringValue {
            switch name {
            case "refreshToken", "refresh_token": expansion.variables[UInt8(ascii: "r")] = Array(text.utf8)
            // A challenge has the place of an access token, and is none.
            case "accessToken": expansion.variables[UInt8(ascii: "a")] = Array(text.utf8)
            case "id":
                let isDevice = parent == "session" || parent == "devices"
                expansion.variables[UInt8(ascii: isDevice ? "d" : "i")] = Array(text.utf8)
            case "secret": secondFactorSecret = Self.base32(text)
            default: break
            }
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    private static func base32(_ text: String) -> [UInt8] {
        var (buffer, count, bytes) = (0, 0, [UInt8]())
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        for letter in text.utf8 {
            guard let value = alphabet.firstIndex(of: letter) else { break }
            buffer = (buffer << 5 | value) & 0xFFF
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> count))
        }
        return bytes
    }
}
