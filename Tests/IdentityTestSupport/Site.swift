// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LatchCore
package import LatchHTTP
package import LatchIdentity
import LatchServer
package import LatchTesting
import SampleResource
import TestSupport

/// The transport of a test; the same test bodies run over both.
package enum Way: String, CaseIterable, Sendable {
    case inProcess = "in process"
    case socket = "over a socket"
}

/// An auth server with a store, a clock and a mailbox of its own, and beside it the sample resource.
package final class Site: Sendable {
    package let identity: Identity
    package let clock = ManualClock(noon)
    package let mailer = MemoryMailer()
    package let folder: TemporaryFolder
    package let transport: any Handler
    private let server: Server?
    /// The server's description of its JSON routes.
    private let description: APIDescription?
    package let origin: HTTPOrigin

    package static let password = "Secret123!"

    /// A server whose hashes are cheap; `change` tells it otherwise.
    package init(
        _ way: Way = .inProcess, in folder: TemporaryFolder? = nil, storedAt location: String? = nil,
        upstream: any Handler = Transport.live, documents: PublicTransport = PublicTransport(),
        hooks: IdentityHooks = IdentityHooks(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        configuration.scopes = SampleResource.scopes
        configuration.defaultScopes = SampleResource.defaultScopes
        change(&configuration)
        self.folder = try folder ?? TemporaryFolder()
        if folder == nil, location == nil {
            try await StoreTemplates.shared.write(self.folder.file(), for: configuration)
        }
        identity = try await Identity(
            configuration: configuration, store: try await IdentityStore.open(location ?? self.folder.file()),
            mailer: mailer, hooks: hooks,
            clock: clock.wallClock(), transport: upstream, documents: documents)
        let handler = identity.handlerWithSamples
        description = (identity.handler as? Router).map(APIDescription.of)
        switch way {
        case .inProcess:
            (transport, server) = (handler, nil)
            origin = HTTPOrigin(scheme: "http", authority: "127.0.0.1:8080")
            identity.adoptIssuer(origin.description)
        case .socket:
            let server = Server(handler: handler, configuration: .patient)
            let address = try await server.start()
            identity.measure(server)
            (transport, self.server) = (Transport.live, server)
            origin = HTTPOrigin(scheme: "http", authority: address.authority)
            identity.adoptIssuer(address.url)
        }
    }

    package func close() async {
        await server?.shutdown(grace: .seconds(5))
        await identity.close()
    }

    /// Closes the store's files where a test did not wait for it.
    deinit {
        Task { [identity] in await identity.close() }
    }

    /// - Parameter certificate: The certificate that the connection has shown, in process.
    package func send(
        _ method: HTTPMethod, _ path: String, fields: HTTPFields = [:], body: HTTPBody = .empty,
        showing certificate: [UInt8]? = nil
    ) async throws -> Response {
        var request = HTTPRequest(
            method: method, scheme: origin.scheme, authority: origin.authority, path: path, fields: fields, body: body)
        if let certificate { request.context[ClientCertificateKey.self] = PresentedCertificate(der: certificate) }
        let response = try await transport.respond(to: request)
        description?.check(response, to: method, path)
        return Response(response)
    }

    package func post(_ path: String, _ json: JSONValue, fields: HTTPFields = [:]) async throws -> Response {
        var fields = fields
        fields[.contentType] = "application/json"
        return try await send(.post, path, fields: fields, body: HTTPBody(json.serialized()))
    }

    package func post(_ path: String, form: String) async throws -> Response {
        try await send(
            .post, path, fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(form))
    }

    package func get(_ path: String, bearer: String? = nil) async throws -> Response {
        try await send(.get, path, fields: bearer.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }
}

extension Site {
    /// Returns whether one of ten equal calls reads nothing from the store: the server's own work reads, too, now and then.
    package func answersWithoutRead(_ call: () async throws -> Void) async throws -> Bool {
        for _ in 0..<10 {
            let before = reads
            try await call()
            if reads == before { return true }
        }
        return false
    }

    /// The number of the store's calls that read.
    private var reads: Int {
        guard case .histogram(let histogram) = identity.services.store.calls.samples.first?.value else { return 0 }
        return histogram.intervals.reduce(0, +)
    }
}

extension Identity {
    /// The server's routes, and those of an app in the same process.
    fileprivate var handlerWithSamples: any Handler {
        guard var router = handler as? Router else { return handler }
        let samples = SampleResource {
            [errorInterceptor, requiring($0)]
        } owner: {
            $0.principal?.accountID
        }
        router.merge(samples.router)
        return router
    }
}

/// An answer and what tests ask of it.
package struct Response: Sendable {
    package let response: HTTPResponse

    package init(_ response: HTTPResponse) { self.response = response }

    package var status: Int { response.status.rawValue }
    package var json: JSONObject { (try? JSONValue(parsing: response.body.bytes))?.objectValue ?? [:] }
    package var message: String? { json["message"]?.stringValue }
    package var text: String { response.body.text ?? "" }

    package func field(_ name: HTTPFieldName) -> String? { response.fields[name] }
    package func string(_ name: String) -> String { json[name]?.stringValue ?? "" }

    package var access: String { string("accessToken") }
    package var refresh: String { string("refreshToken") }
}

extension Site {
    /// An account that has verified its address.
    @discardableResult
    package func signUp(
        _ email: String = "ada@example.com", roles: [String] = [], isVerified: Bool = true
    ) async throws -> Account {
        let account = try await identity.accounts.signUp(
            email: email, password: Self.password, roles: roles, isVerified: isVerified)
        // Workers send in parallel: otherwise the mail of the sign-up could arrive after the one that a test asks for.
        await identity.flushMails()
        return account
    }

    package func logIn(_ email: String = "ada@example.com", password: String = Site.password) async throws -> Response {
        try await post("/api/auth/clients/login", ["email": .string(email), "password": .string(password)])
    }

    package func renew(_ token: String, fields: HTTPFields = [:]) async throws -> Response {
        try await post("/api/auth/refresh-token", ["refreshToken": .string(token)], fields: fields)
    }

    /// The token of the newest mail to an address.
    package func mailedToken(to email: String = "ada@example.com") async -> String? {
        await identity.services.mails.flush()
        // Workers send in parallel, so that a notice without a link can arrive after the mail with one.
        let text = mailer.messages.last { $0.recipient == email && $0.text.contains("token=") }?.text
        return text?.split(separator: "token=").last?.split(separator: "\n").first.map(String.init)
    }

    /// The code of the newest mail to an address.
    package func mailedCode(to email: String = "ada@example.com") async -> String? {
        await identity.services.mails.flush()
        // Workers send in parallel, so that a notice without a code can arrive after the mail with one.
        let mails = mailer.messages.reversed().filter { $0.recipient == email }
        return mails.flatMap { $0.text.split(separator: "\n") }.map(String.init).first {
            $0.utf8.count == 7 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x20 }
        }
    }

    package func subjects(to email: String = "ada@example.com") async -> [String] {
        await identity.services.mails.flush()
        return mailer.messages.filter { $0.recipient == email }.map(\.subject)
    }

    package func metric(_ line: String) async throws -> Int? {
        let lines = try await get("/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix(line + " ") }.flatMap { Int($0.split(separator: " ").last ?? "") }
    }
}
