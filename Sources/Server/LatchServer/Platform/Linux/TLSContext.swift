// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CTLSShim

/// The certificate in the form in which connections use it.
final class TLSContext: @unchecked Sendable {  // libssl counts references to a context atomically.
    /// An `SSL_CTX`, freed when the last session has let go of it.
    private let context: UnsafeMutableRawPointer

    /// Reads a certificate and its key.
    ///
    /// - Throws: `ServerError.badCertificate`.
    init(_ tls: Server.TLS) throws(ServerError) {
        var why = [CChar](repeating: 0, count: 160)
        let made = latch_tls_context_make(
            tls.certificate, tls.certificate.count, tls.key, tls.key.count, &why, why.count)
        guard let made else {
            throw .badCertificate(
                String(decoding: why.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        context = made
    }

    deinit { latch_tls_context_free(context) }

    /// The state of one connection, owned by its stream; nil where there is no memory for it.
    func session(on descriptor: Int32) -> UnsafeMutableRawPointer? { latch_tls_session_make(context, descriptor) }
}

#endif
