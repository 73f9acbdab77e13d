// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Glibc

/// The server's side of RFC 5321, as far as a submission needs it.
struct SMTPDialogue: Sendable {
    /// Sockets and what is refused.
    private let state: RawSMTPServer.State
    /// Receives each command and each message before it is answered.
    private let record: @Sendable (_ command: String?, _ message: [UInt8]?) -> Void

    /// A dialogue that has not begun; `run()` blocks, so it wants a thread of its own.
    init(
        _ state: RawSMTPServer.State, record: @escaping @Sendable (_ command: String?, _ message: [UInt8]?) -> Void
    ) {
        self.state = state
        self.record = record
    }

    /// Runs until the other end of `stop` is closed.
    func run() {
        while isReadable(state.listener) {
            let socket = accept(state.listener, nil, nil)
            guard socket >= 0 else { continue }
            _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            converse(socket)
            close(socket)
        }
        close(state.listener)
        close(state.stop)
    }

    /// Returns false when the server is to stop.
    private func isReadable(_ socket: CInt) -> Bool {
        var watched = [
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
            pollfd(fd: state.stop, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, 2, -1) < 0, errno == EINTR {}
        return watched[1].revents == 0
    }

    /// One session, until QUIT or the client's end.
    private func converse(_ socket: CInt) {
        say("220 test ready", to: socket)
        var input: [UInt8] = []
        while let line = take(upTo: [0x0D, 0x0A], from: &input, socket) {
            let command = String(decoding: line, as: UTF8.self)
            record(command, nil)
            let verb = String(command.prefix { $0 != " " && $0 != ":" }).uppercased()
            if verb == state.silence {
                say(verb == "DATA" ? "354 go on" : answer(to: verb), to: socket)
                state.isSilent()
                state.reading.wait()
                return record(nil, rest(from: input, socket))
            } else if let refusal = state.refusals[verb] {
                say(refusal, to: socket)
            } else if verb == "DATA" {
                say("354 go on", to: socket)
                guard let message = take(upTo: [0x0D, 0x0A, 0x2E, 0x0D, 0x0A], from: &input, socket) else { return }
                record(nil, message + [0x0D, 0x0A])
                if state.silence == "." {
                    state.isSilent()
                    state.reading.wait()
                }
                say(state.refusals["."] ?? "250 taken", to: socket)
            } else if command == "AUTH PLAIN" {
                say("334 ", to: socket)
                guard let secret = take(upTo: [0x0D, 0x0A], from: &input, socket) else { return }
                record(String(decoding: secret, as: UTF8.self), nil)
                say("235 welcome", to: socket)
            } else {
                say(answer(to: verb), to: socket)
                if verb == "QUIT" { return }
            }
        }
    }

    /// The answers to commands that need no state; unknown ones are accepted.
    private func answer(to verb: String) -> String {
        switch verb {
        case "EHLO":
            (["test"] + state.extensions).enumerated()
                .map { $0.offset == state.extensions.count ? "250 \($0.element)" : "250-\($0.element)" }
                .joined(separator: "\r\n")
        case "AUTH": "235 welcome"
        case "QUIT": "221 bye"
        default: "250 ok"
        }
    }

    /// Everything before `end`, which is taken off too; nil when the client or the server ends.
    private func take(upTo end: [UInt8], from input: inout [UInt8], _ socket: CInt) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            if let range = input.firstRange(of: end) {
                defer { input.removeFirst(range.upperBound) }
                return Array(input[..<range.lowerBound])
            }
            guard isReadable(socket) else { return nil }
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            input += buffer[..<count]
        }
    }

    /// All that the client sends, to its end.
    private func rest(from input: [UInt8], _ socket: CInt) -> [UInt8] {
        var (all, buffer) = (input, [UInt8](repeating: 0, count: 65536))
        while isReadable(socket), case let count = recv(socket, &buffer, buffer.count, 0), count > 0 {
            all += buffer[..<count]
        }
        return all
    }

    /// One line; what the client no longer takes is not missed.
    private func say(_ text: String, to socket: CInt) {
        let bytes = Array("\(text)\r\n".utf8)
        send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}
#endif
