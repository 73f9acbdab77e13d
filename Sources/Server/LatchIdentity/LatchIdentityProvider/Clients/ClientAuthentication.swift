// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
import LatchServer

/// The authentication of clients at the OAuth endpoints (RFC 6749 §2.3).
package struct ClientAuthentication: Sendable {
    package let clients: OAuthClients
    package let limits: RateLimits
    package let assertions: ClientAssertions
    package let certificates: CertificateAuthentication

    package init(
        clients: OAuthClients, limits: RateLimits, assertions: ClientAssertions, certificates: CertificateAuthentication
    ) {
        self.clients = clients
        self.limits = limits
        self.assertions = assertions
        self.certificates = certificates
    }

    /// The proof of the client in a request.
    private enum Proof {
        case none(id: String?)
        case secret(id: String?, readings: Set<String>, method: OAuthClient.AuthenticationMethod)
        case assertion(id: String?, text: String)
    }

    /// Returns the client that the request authenticates, or the server's own client if it names none.
    ///
    /// RFC 6749 §2.3: by one method only (attack J3).
    ///
    /// - Throws: `IdentityError.invalidClient`, the same for every cause except a client's assertion that one of its
    ///   keys has signed; `.invalidInput`; `.tooManyAttempts`.
    package func client(
        of request: HTTPRequest, _ parameters: OAuthParameters
    ) async throws(IdentityError) -> OAuthClient {
        let client: OAuthClient
        switch try proof(of: request, parameters) {
        case .none(let id): client = try await self.client(id, connectedBy: request)
        case .secret(let id, let readings, let method):
            // A secret can be guessed like a password, so it has the same limit. A right one costs no attempt.
            let attempts = [limits.clientSecret(of: id ?? "", address: request.requestOrigin.address)]
            try limits.take(attempts)
            guard let found = try await clients.authenticated(id: id, secrets: readings, by: method) else {
                throw .invalidClient
            }
            limits.refund(attempts)
            client = found
        case .assertion(let id, let text):
            client = try await self.client(id, asserting: text, in: request)
        }
        if let page = request.pageAccess, client.pageOrigins.contains(page.origin) { page.give() }
        return client
    }

    /// Returns a client that sends no proof: a public one, or one with the certificate of its connection (RFC 8705 §2).
    private func client(_ id: String?, connectedBy request: HTTPRequest) async throws(IdentityError) -> OAuthClient {
        guard let id, let registered = try await clients.registration(of: id), registered.client.hasCertificate else {
            guard let found = try await clients.publicClient(id: id) else { throw .invalidClient }
            return found
        }
        guard let certificate = request.clientCertificate else { throw .refusedCertificate }
        // A refused certificate counts as a wrong secret does. It costs a verification, or a request for keys.
        let attempts = [limits.clientSecret(of: id, address: request.requestOrigin.address)]
        try limits.take(attempts)
        let isAuthentic: Bool
        do throws(IdentityError) {
            isAuthentic = try await certificates.isAuthentic(certificate, of: registered)
        } catch {
            limits.refund(attempts)
            throw error
        }
        guard isAuthentic else { throw .refusedCertificate }
        limits.refund(attempts)
        return registered.client
    }

    /// Returns the client that has signed an assertion.
    private func client(
        _ id: String?, asserting text: String, in request: HTTPRequest
    ) async throws(IdentityError) -> OAuthClient {
        // A refused assertion counts as a wrong secret does. It costs a verification, or a write.
        let attempts = [limits.clientSecret(of: id ?? "", address: request.requestOrigin.address)]
        try limits.take(attempts)
        let (client, problem): (VerifiableClient?, String?)
        do throws(IdentityError) {
            if let id { client = try await clients.registration(of: id) } else { client = nil }
            problem = try await assertions.use(
                text, of: client.flatMap { $0.client.hasKey ? $0 : nil }, for: .authentication,
                at: request.pathWithoutQuery)
        } catch {
            limits.refund(attempts)
            throw error
        }
        guard problem == nil, let client else { throw .refusedAssertion(problem ?? "") }
        limits.refund(attempts)
        return client.client
    }

    /// Reads what the request sends.
    private func proof(of request: HTTPRequest, _ parameters: OAuthParameters) throws(IdentityError) -> Proof {
        let (id, secret) = (parameters["client_id"], parameters["client_secret"])
        let basic = request.fields[.authorization].flatMap { ClientCredentials.isBasic($0) ? $0 : nil }
        let assertion = try assertion(in: parameters)
        guard (assertion == nil ? 0 : 1) + (secret == nil ? 0 : 1) + (basic == nil ? 0 : 1) <= 1 else {
            throw .invalidInput("the client authenticates in two ways at once", hint: "Send one proof.")
        }
        if let assertion { return .assertion(id: id ?? Self.subject(of: assertion), text: assertion) }
        guard let basic else {
            return secret.map { .secret(id: id, readings: [$0], method: .secretPost) } ?? .none(id: id)
        }
        guard let pair = ClientCredentials(basic: basic), id ?? pair.id == pair.id else { throw .invalidClient }
        // A public client may identify itself by the field.
        return pair.secrets.isEmpty
            ? .none(id: pair.id) : .secret(id: pair.id, readings: pair.secrets, method: .secretBasic)
    }

    /// Returns the assertion of a request (RFC 7521 §4.2).
    private func assertion(in parameters: OAuthParameters) throws(IdentityError) -> String? {
        switch (parameters["client_assertion_type"], parameters["client_assertion"]) {
        case (nil, nil): return nil
        case (nil, _): throw .missing("client_assertion_type")
        case (_, nil): throw .missing("client_assertion")
        case (let type?, let text?):
            guard type == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" else {
                throw .refusedAssertion("its client_assertion_type is not supported")
            }
            return text
        }
    }

    /// Returns the client that an assertion names, which no signature has proved.
    private static func subject(of assertion: String) -> String? {
        do { return try JWT(unverified: assertion).claims.subject } catch { return nil }
    }
}
