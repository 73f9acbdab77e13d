// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// A certificate and its key, which the server cannot use on this platform.
struct TLSContext {
    /// Refuses.
    ///
    /// - Throws: `ServerError.tlsUnavailable`.
    init(_ tls: Server.TLS, offersHTTP2: Bool) throws(ServerError) { throw .tlsUnavailable }

    /// Nil, since there is no certificate.
    var validity: (start: Int64, end: Int64)? { nil }

    /// Returns false.
    func isFor(_ host: String) -> Bool { false }

    /// The seconds for which a session could be resumed.
    static let ticketLifetime: UInt64 = 3600

    /// Returns false, since there are no tickets.
    func rotateTicketKeys() -> Bool { false }

    /// Returns nil.
    func session(on descriptor: Int32) -> TLSSession? { nil }
}

/// A TLS session, of which there is none on this platform.
enum TLSSession {
    var hasAgreedOnHTTP2: Bool { switch self {} }

    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> ByteStream.IOResult { switch self {} }

    func write(_ bytes: UnsafeRawBufferPointer) -> ByteStream.IOResult { switch self {} }

    func end(withAlert: Bool) {}
}

#endif
