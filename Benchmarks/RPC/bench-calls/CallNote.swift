// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchRPC

/// The message that goes to and fro: latch.test.v1.Note, which the peers of the tests speak too.
struct CallNote: Message {
    static let schema = MessageSchema(
        "latch.test.v1.Note",
        """
        1 text string
        2 number int32
        3 data bytes
        """)

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    init(text: String = "", number: Int32 = 0, data: Data = Data()) {
        self.init(storage: MessageStorage(Self.schema))
        if !text.isEmpty { storage[string: 0] = text }
        if number != 0 { storage[int32: 1] = number }
        if !data.isEmpty { storage[bytes: 2] = data }
    }

    var number: Int32 { storage[int32: 1] }
    var data: Data { storage[bytes: 2] }

    /// A hundred bytes of text, as a small request has.
    static let sample = CallNote(text: String(repeating: "0123456789", count: 10), number: 7)
    /// Asks for a hundred messages of a hundred bytes.
    static let hundred = CallNote(number: 100, data: Data(repeating: 5, count: 100))
}

/// The methods that are measured.
enum CallMethods {
    static let echo = RPCMethod<CallNote, CallNote>("latch.test.v1.Notes", "Echo")
    static let count = RPCMethod<CallNote, CallNote>("latch.test.v1.Notes", "Count", kind: .serverStreaming)

    /// The response of our server.
    static let service = RPCService([
        .unary(echo) { note, _ in note },
        .serverStream(count) { note, _ in
            RPCStream { writer in
                for number in 0..<note.number { try await writer.send(CallNote(number: number, data: note.data)) }
            }
        },
    ])
}
