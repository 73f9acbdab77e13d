// SPDX-License-Identifier: Apache-2.0

/// An error code of a stream or of a connection (RFC 9113 §7).
enum HTTP2Error: UInt32 {
    /// No error; the end is regular.
    case noError = 0x0
    /// The peer violates the protocol.
    case protocolError = 0x1
    /// The server cannot respond.
    case internalError = 0x2
    /// The stream has already ended.
    case streamClosed = 0x5
    /// The stream was not processed, so that the request can be sent again.
    case refusedStream = 0x7
    /// The stream is no longer wanted.
    case cancel = 0x8
    /// The peer causes excessive load.
    case enhanceYourCalm = 0xB
}
