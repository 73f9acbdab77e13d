// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// A certificate and its key, which the server cannot use on this platform.
struct TLSContext {
    /// Throws an error, since TLS is not supported on this platform.
    ///
    /// - Throws: `ServerError.tlsUnavailable`.
    init(_ tls: Server.TLS, offersHTTP2: Bool) throws(ServerError) { throw .tlsUnavailable }

    /// Nil, since a certificate cannot be loaded.
    var validity: (start: Int64, end: Int64)? { nil }

    /// Returns false.
    func isFor(_ host: String) -> Bool { false }

    /// The seconds for which a session could be resumed.
    static let ticketLifetime: UInt64 = 3600

    /// Returns false, since tickets are not supported.
    func rotateTicketKeys() -> Bool { false }

    /// Returns nil.
    func session(on descriptor: Int32) -> TLSSession? { nil }
}

/// A TLS session, which this platform does not support.
enum TLSSession {
    var hasAgreedOnHTTP2: Bool { switch self {} }

    var hasRequestedCertificate: Bool { switch self {} }

    var clientCertificate: PresentedCertificate? { switch self {} }

    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> ByteStream.IOResult { switch self {} }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteStream.IOResult { switch self {} }

    func end(withAlert: Bool) {}
}

#endif
