// SPDX-License-Identifier: Apache-2.0

/// The size limits for messages and requests.
public struct RPCLimits: Sendable, Hashable {
    /// The maximum size of a message in bytes, before and after decompression.
    ///
    /// A greater length is refused before memory is allocated for it.
    public var messageBytes: Int
    /// The maximum size in bytes of path and query for a GET call; larger calls are sent as POST.
    public var targetBytes: Int

    /// The maximum size in bytes of request content.
    ///
    /// It is for a server that collects the request before it responds, such as LatchServer. By default there is room
    /// for one message of `messageBytes` in any protocol, even in base64.
    public var requestBytes: Int
    /// The approximate maximum memory in bytes of one decoded message, for a server.
    ///
    /// Two bytes of a message can become an object of a hundred. The default is twelve times `messageBytes`, which
    /// suffices for a message that is filled with a list of numbers or of short texts.
    public var allocatedBytes: Int

    /// Creates limits.
    ///
    /// gRPC's default is 4 MiB for a message, and RFC 9110 §4.1 recommends support for targets of 8,000 bytes.
    public init(
        messageBytes: Int = 4 << 20, targetBytes: Int = 8000, requestBytes: Int? = nil, allocatedBytes: Int? = nil
    ) {
        self.messageBytes = messageBytes
        // Base64 uses four characters for three bytes; the rest is room for the envelope. `Int.max` means no limit.
        let (sum, isOver) = messageBytes.addingReportingOverflow(messageBytes / 3 + 1024)
        self.requestBytes = requestBytes ?? (isOver ? .max : sum)
        self.targetBytes = targetBytes
        let (product, overflows) = messageBytes.multipliedReportingOverflow(by: 12)
        self.allocatedBytes = allocatedBytes ?? (overflows ? .max : product)
    }

    /// The default limits: 4 MiB for a message.
    public static let standard = RPCLimits()
}
