// SPDX-License-Identifier: Apache-2.0

/// The message in which an error travels whole (google/rpc/status.proto): `grpc-status-details-bin` holds one.
public struct RPCStatus: Message {
    /// Its fields.
    public static let schema = MessageSchema(
        "google.rpc.Status",
        """
        1 code int32
        2 message string
        3 details message 0 repeated
        """,
        types: [ProtoAny.self])

    /// The values.
    public var storage: MessageStorage

    /// A status of values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A status from its parts.
    public init(code: Int32, message: String, details: [ProtoAny]) {
        self.init(storage: MessageStorage(Self.schema))
        self.code = code
        self.message = message
        self.details = details
    }

    /// The number of the error's code.
    public var code: Int32 {
        get { storage[int32: 0] }
        set { storage[int32: 0] = newValue }
    }

    /// What happened.
    public var message: String {
        get { storage[string: 1] }
        set { storage[string: 1] = newValue }
    }

    /// Messages that say more.
    public var details: [ProtoAny] {
        get { storage[messages: 2] }
        set { storage[messages: 2] = newValue }
    }
}
