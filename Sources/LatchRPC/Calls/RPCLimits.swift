// SPDX-License-Identifier: Apache-2.0

/// How much a peer may send.
public struct RPCLimits: Sendable, Hashable {
    /// How many bytes one message may have, as it arrives and after its compression is taken off.
    ///
    /// What a peer announces beyond it is refused before memory is set aside for it.
    public var messageBytes: Int
    /// How many bytes the path and query of a call by GET may have; a longer one is sent by POST.
    public var targetBytes: Int

    /// Limits; 4 MiB is what gRPC allows a message, and 8,000 bytes what RFC 9110 §4.1 asks every server to take.
    public init(messageBytes: Int = 4 << 20, targetBytes: Int = 8000) {
        self.messageBytes = messageBytes
        self.targetBytes = targetBytes
    }

    /// 4 MiB for a message.
    public static let standard = RPCLimits()
}
