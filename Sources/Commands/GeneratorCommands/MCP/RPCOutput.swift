// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import Synchronization

/// Standard output as the protocol wants it: one message on each line, and nothing else ever.
final class RPCOutput: Sendable {
    private let stream: Shell.Stream
    /// Held while a line is written, so that no two are mixed up.
    private let turn = Mutex(())

    init(_ stream: Shell.Stream) { self.stream = stream }

    func send(_ message: JSONValue) {
        // The serializer escapes line breaks, so a message is one line whatever it holds.
        let line = message.serialized() + [UInt8(ascii: "\n")]
        turn.withLock { _ in stream.writeBytes(line) }
    }
}

/// What one request may still send: nothing any more once it was cancelled or answered.
final class RequestVoice: Sendable {
    private let output: RPCOutput
    private let token: JSONValue?
    /// Tells people, who read standard error.
    private let note: @Sendable (String) -> Void
    private struct State {
        var isSilent = false
        var progress = -1
    }
    private let state = Mutex(State())

    /// - Parameter token: By which the client knows progress of this request; nil where it wants none.
    init(
        _ output: RPCOutput, progressToken token: JSONValue?, note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.output = output
        self.token = token
        self.note = note
    }

    /// Tells how far the work has come; the number grows with each (2026-07-28, "Progress").
    func progress(_ completed: Int, of total: Int, _ message: String) {
        state.withLock { state in
            guard !state.isSilent, completed > state.progress else { return }
            state.progress = completed
            note("\(completed)/\(total) \(message)")
            guard let token else { return }
            output.send([
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": [
                    "progressToken": token, "progress": .integer(Int64(completed)), "total": .integer(Int64(total)),
                    "message": .string(message),
                ],
            ])
        }
    }

    /// Takes the right to send the answer; false where the request was cancelled.
    func close() -> Bool {
        state.withLock { state in
            defer { state.isSilent = true }
            return !state.isSilent
        }
    }
}
