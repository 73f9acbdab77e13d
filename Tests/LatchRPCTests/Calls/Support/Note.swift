// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchRPC

/// The message of the test service, in the shape that generated ones have.
struct Note: Message {
    static let schema = MessageSchema(
        "latch.test.v1.Note",
        """
        1 text string
        2 number int32
        3 data bytes
        """)

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    init(text: String = "", number: Int32 = 0, data: [UInt8] = []) {
        self.init(storage: MessageStorage(Self.schema))
        if !text.isEmpty { self.text = text }
        if number != 0 { self.number = number }
        if !data.isEmpty { self.data = Data(data) }
    }

    var text: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }

    var number: Int32 {
        get { storage[int32: 1] }
        set { storage[int32: 1] = newValue }
    }

    var data: Data {
        get { storage[bytes: 2] }
        set { storage[bytes: 2] = newValue }
    }
}

/// The methods of the test service: one of each kind, and one by GET.
enum Notes {
    static let service = "latch.test.v1.Notes"
    static let echo = RPCMethod<Note, Note>(service, "Echo")
    static let read = RPCMethod<Note, Note>(service, "Read", idempotency: .noSideEffects)
    static let count = RPCMethod<Note, Note>(service, "Count", kind: .serverStreaming)
    static let add = RPCMethod<Note, Note>(service, "Add", kind: .clientStreaming)
    static let talk = RPCMethod<Note, Note>(service, "Talk", kind: .bidirectional)
}
