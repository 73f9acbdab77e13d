// SPDX-License-Identifier: Apache-2.0

/// The size limits for messages and requests.
public struct RPCLimits: Sendable, Hashable {
    /// The largest message in bytes, before and after decompression.
    ///
    /// A longer announced length is refused before memory is allocated for it.
    public var messageBytes: Int
    /// The largest path and query of a GET call in bytes; longer calls are sent as POST.
    public var targetBytes: Int

    /// The largest request content in bytes, for a server that collects the request before it responds, as LatchServer
    /// does.
    ///
    /// By default there is room for one message of `messageBytes` in any protocol, also in base64.
    public var requestBytes: Int
    /// The largest memory of one decoded message in bytes, approximately, for a server.
    ///
    /// Two bytes of a message can become an object of a hundred.
    ///
    /// By default twelve times `messageBytes`: enough for a list of numbers or of short texts that fills the message.
    public var allocatedBytes: Int

    /// Creates limits; gRPC's default is 4 MiB for a message, and RFC 9110 §4.1 recommends support for 8,000 bytes of
    /// target.
    public init(
        messageBytes: Int = 4 << 20, targetBytes: Int = 8000, requestBytes: Int? = nil, allocatedBytes: Int? = nil
    ) {
        self.messageBytes = messageBytes
        // Base64 takes four characters for three bytes; the rest is room for the envelope. `Int.max` means no limit.
        let (sum, isOver) = messageBytes.addingReportingOverflow(messageBytes / 3 + 1024)
        self.requestBytes = requestBytes ?? (isOver ? .max : sum)
        self.targetBytes = targetBytes
        let (product, overflows) = messageBytes.multipliedReportingOverflow(by: 12)
        self.allocatedBytes = allocatedBytes ?? (overflows ? .max : product)
    }

    /// The default limits: 4 MiB for a message.
    public static let standard = RPCLimits()
}
