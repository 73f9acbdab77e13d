// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchProtobuf
import Testing

@Suite struct RequiredTests {
    private var whole: Strict {
        var message = Strict()
        message.id = 0
        return message
    }

    @Test func `A required field is missing until it is set, even to zero`() throws {
        #expect(!Strict().isInitialized)
        #expect(whole.isInitialized)
        try expectEqual(whole.serialized(), [0x08, 0])
        #expect(throws: ProtoError.missingField) { try Strict().serialized() }
        #expect(throws: ProtoError.missingField) { try Strict(serialized: []) }
        try expectEqual(Strict(serialized: [0x08, 0]), whole)
    }

    @Test func `A required field is reported with its path`() {
        func missing(_ change: (inout Strict) -> Void) -> String {
            var message = whole
            change(&message)
            do {
                _ = try message.serialized()
                return ""
            } catch {
                return error.message
            }
        }
        expectEqual(missing { _ in }, "")
        #expect(missing { $0.inner = Strict() }.contains("inner.id"))
        #expect(missing { $0.list = [whole, Strict()] }.contains("list[1].id"))
        #expect(missing { $0.byName = ["k": Strict()] }.contains("by_name[…].id"))
    }

    @Test func `A required field is checked in extensions too`() {
        let other = Extension<Extended, Strict?>("150 test.v1.strict message 0", types: [Strict.self])
        var message = Extended()
        message[other] = Strict()
        #expect(!message.isInitialized)
        #expect(throws: ProtoError.missingField) { try message.serialized() }
        message[other] = whole
        #expect(message.isInitialized)
    }
}

private struct Strict: Message {
    static let schema = MessageSchema(
        "test.v1.Strict",
        "1 id int32 required\n2 inner message 0\n3 list message 0 repeated\n4 by_name map string message 0",
        types: [Strict.self])
    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
    var id: Int32 {
        get { storage[int32: 0] }
        set { storage[int32: 0] = newValue }
    }
    var inner: Strict? {
        get { storage[optionalMessage: 1] }
        set { storage[optionalMessage: 1] = newValue }
    }
    var list: [Strict] {
        get { storage[messages: 2] }
        set { storage[messages: 2] = newValue }
    }
    var byName: [String: Strict] {
        get { storage[map: 3] }
        set { storage[map: 3] = newValue }
    }
}
