// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchTLSShim

/// A certificate and its key, loaded for the TLS sessions of connections.
final class TLSContext: @unchecked Sendable {  // libssl counts references to a context atomically.
    /// The `SSL_CTX`, freed with the last session that uses it.
    private let context: UnsafeMutableRawPointer

    /// Loads a certificate and its key.
    ///
    /// - Parameter offersHTTP2: Whether clients may choose HTTP/2 by ALPN (RFC 7301), and not only HTTP/1.1.
    /// - Throws: `ServerError.badCertificate`.
    init(_ tls: Server.TLS, offersHTTP2: Bool) throws(ServerError) {
        var reason = [CChar](repeating: 0, count: 160)
        let made = latch_tls_context_make(
            tls.certificate, tls.certificate.count, tls.key, tls.key.count, offersHTTP2 ? 1 : 0,
            &reason, reason.count)
        guard let made else {
            throw .badCertificate(
                String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        context = made
        let isReady =
            switch tls.clientCertificates {
            case .ignored: true
            case .requested: latch_tls_context_request_certificates(made, nil) != 0
            case .requestedFor(let host): latch_tls_context_request_certificates(made, host) != 0
            }
        guard isReady else { throw .badCertificate("no client certificates can be requested for that host") }
    }

    deinit { latch_tls_context_free(context) }

    /// The seconds since 1970 between which the certificate and its chain are valid; nil if they cannot be read.
    var validity: (start: Int64, end: Int64)? {
        var (start, end): (Int64, Int64) = (0, 0)
        return latch_tls_context_validity(context, &start, &end) == 0 ? nil : (start, end)
    }

    /// Returns whether the certificate is for a host: a name, or an IP address without brackets.
    func isFor(_ host: String) -> Bool { latch_tls_context_is_for(context, host) != 0 }

    /// The seconds for which a session can be resumed by its ticket (RFC 8446 §4.6.1).
    static let ticketLifetime = UInt64(latch_tls_ticket_lifetime)

    /// Replaces the key of session tickets; the last one decrypts until the next call, and the one before it is erased.
    ///
    /// - Returns: False if the system has no randomness; then the keys do not change.
    func rotateTicketKeys() -> Bool { latch_tls_context_rotate_tickets(context) != 0 }

    /// Creates the session of one connection, owned by its stream; nil if memory is exhausted.
    func session(on descriptor: Int32) -> TLSSession? {
        latch_tls_session_make(context, descriptor).map(TLSSession.init)
    }
}

/// The TLS session of one connection.
struct TLSSession {
    /// The `SSL`, freed by `end()`.
    fileprivate let session: UnsafeMutableRawPointer

    /// Reads the available bytes, up to the buffer's size; the first calls also perform the handshake.
    func read(into bytes: UnsafeMutableBufferPointer<UInt8>) -> ByteStream.IOResult {
        result(latch_tls_read(session, bytes.baseAddress, bytes.count))
    }

    /// Whether the client and the server have agreed on HTTP/2; known after the handshake.
    var hasAgreedOnHTTP2: Bool { latch_tls_is_http2(session) != 0 }

    /// Whether the client was asked for a certificate; known after the handshake.
    var hasRequestedCertificate: Bool { latch_tls_has_requested_certificate(session) != 0 }

    /// The certificate that the client has proved to have; known after the handshake.
    var clientCertificate: PresentedCertificate? {
        guard let own = certificate(0) else { return nil }
        var chain: [[UInt8]] = []
        while let next = certificate(chain.count + 1) { chain.append(next) }
        return PresentedCertificate(der: own, chain: chain)
    }

    private func certificate(_ index: Int) -> [UInt8]? {
        let count = latch_tls_certificate(session, Int32(index), nil, 0)
        guard count > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            filled = latch_tls_certificate(session, Int32(index), bytes.baseAddress, count)
        }
    }

    /// Writes as much as the socket accepts.
    func write(_ bytes: UnsafeRawBufferPointer) -> ByteStream.IOResult {
        result(latch_tls_write(session, bytes.baseAddress, bytes.count))
    }

    /// Frees the session, after the closure alert if that can be sent without waiting; the last call, and only once.
    func end(withAlert: Bool) { latch_tls_session_free(session, withAlert) }

    /// Converts the result of the shim, which sets no errno.
    private func result(_ count: Int) -> ByteStream.IOResult {
        switch count {
        case 1...: .transferred(count)
        case Int(latch_tls_would_block): .wouldBlock
        default: .ended
        }
    }
}

#endif
