// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A mail server (RFC 5321) that is down until it is opened, and records what it accepts.
final class MailRelay: Sendable {
    private struct State {
        /// The mails by recipient and subject.
        var mails: Set<String> = []
        var identifiers: Set<String> = []
        var count = 0
    }

    private let listener: Int32
    let port: Int
    private let state = Mutex(State())

    /// Takes a port, at which connections are refused for now.
    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = PlainConnection.withAddress("127.0.0.1", 0) { bind(listener, $0, $1) } == 0
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { close(listener) }

    /// Accepts connections from now on.
    func open() {
        listen(listener, 128)
        Thread.detachNewThread { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread {
                    self.converse(connection)
                    close(connection)
                }
            }
        }
    }

    var count: Int { state.withLock { $0.count } }
    /// The number of mails that were accepted again under the Message-ID of an earlier one.
    var duplicates: Int { state.withLock { $0.count - $0.identifiers.count } }

    /// Returns those of the promised mails that have not arrived.
    func missing(of promised: Set<String>) -> Set<String> { state.withLock { promised.subtracting($0.mails) } }

    /// The key of a mail among the promised ones.
    static func key(_ recipient: String, _ subject: String) -> String { "\(recipient) \(subject)" }

    private func converse(_ connection: Int32) {
        guard let file = fdopen(dup(connection), "r") else { return }
        defer { fclose(file) }
        let say = { (text: String) in
            _ = send(connection, text + "\r\n", text.utf8.count + 2, Int32(MSG_NOSIGNAL))
        }
        var (line, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        let next = { () -> String? in
            guard getline(&line, &capacity, file) > 0, let line else { return nil }
            return String(cString: line).trimmingCharacters(in: .newlines)
        }
        say("220 relay")
        while let command = next() {
            switch command.prefix(4).uppercased() {
            case "DATA":
                say("354 go on")
                var (recipient, subject, identifier) = ("", "", "")
                while let line = next(), line != "." {
                    if line.hasPrefix("To: <") { recipient = String(line.dropFirst(5).dropLast()) }
                    if line.hasPrefix("Subject: ") { subject = String(line.dropFirst(9)) }
                    if line.hasPrefix("Message-ID: ") { identifier = line }
                }
                state.withLock { state in
                    state.count += 1
                    state.identifiers.insert(identifier)
                    state.mails.insert(Self.key(recipient, subject))
                }
                say("250 accepted")
            case "QUIT":
                say("221 bye")
                return
            default: say("250 ok")
            }
        }
    }
}
