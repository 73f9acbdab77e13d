// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchHTTP
package import LatchIdentityAccounts

/// An interceptor that adds the nonce for the next proof to the response to a request with one (RFC 9449 §8.2).
///
/// A client then has a recent nonce without a refused request.
package struct ProofNonceInterceptor: Filter {
    package let proofs: SenderProofs

    package init(proofs: SenderProofs) { self.proofs = proofs }

    /// Whether the request has a proof.
    package typealias Note = Bool

    package func filter(_ request: inout HTTPRequest) -> Filtering<Bool> { .proceed(request.fields[.dpop] != nil) }

    package func complete(_ outcome: inout Outcome, _ hasProof: consuming Bool) {
        guard hasProof, outcome.error == nil, outcome.response.fields[.dpopNonce] == nil else { return }
        // A cache would send the nonce to other clients, and for too long: public documents have none.
        let caching = outcome.response.fields[.cacheControl]
        guard caching == nil || caching == "no-store" else { return }
        outcome.response.fields[.cacheControl] = "no-store"
        outcome.response.fields[.dpopNonce] = proofs.nonce
    }
}
