// SPDX-License-Identifier: Apache-2.0

/// How much a peer may send.
public struct RPCLimits: Sendable, Hashable {
    /// How many bytes one message may have, as it arrives and after its compression is taken off.
    ///
    /// What a peer announces beyond it is refused before memory is set aside for it.
    public var messageBytes: Int
    /// How many bytes the path and query of a call by GET may have; a longer one is sent by POST.
    public var targetBytes: Int

    /// How many bytes the messages of a request may have together, with what is between them, on a server that collects
    /// them before it answers, as LatchServer does.
    ///
    /// The usual: one message of `messageBytes` in any protocol, also in base64.
    public var requestBytes: Int

    /// Limits; 4 MiB is what gRPC allows a message, and 8,000 bytes what RFC 9110 §4.1 asks every server to take.
    public init(messageBytes: Int = 4 << 20, targetBytes: Int = 8000, requestBytes: Int? = nil) {
        self.messageBytes = messageBytes
        // Four letters for three bytes, and the announcement of the message; who wants no limit says the largest number.
        let (sum, isOver) = messageBytes.addingReportingOverflow(messageBytes / 3 + 1024)
        self.requestBytes = requestBytes ?? (isOver ? .max : sum)
        self.targetBytes = targetBytes
    }

    /// 4 MiB for a message.
    public static let standard = RPCLimits()
}
