// SPDX-License-Identifier: Apache-2.0

import LatchProtobuf

/// The error detail `google.rpc.RetryInfo`, in which a server states when to retry (googleapis, `error_details.proto`).
struct RetryInfo: Message {
    static let schema = MessageSchema("google.rpc.RetryInfo", "1 retry_delay message 0", types: [ProtoDuration.self])

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    /// Creates a detail.
    init(retryDelay: ProtoDuration) {
        storage = MessageStorage(Self.schema)
        storage[message: 0] = retryDelay
    }

    /// The delay; nil if the server states none.
    var retryDelay: ProtoDuration? { storage.has(0) ? storage[message: 0] : nil }
}
