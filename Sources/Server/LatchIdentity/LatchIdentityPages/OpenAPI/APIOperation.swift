// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// What an endpoint takes and returns, as `GET /api/openapi.json` describes it (OpenAPI 3.1.0 §4.8.10).
///
/// It stands beside the route to which it belongs. `OpenAPITests` compare it with what the endpoint does.
package struct APIOperation: Sendable {
    /// The part of the description that an operation is in.
    package enum Section: String, Sendable, CaseIterable {
        case sessions = "Sessions"
        case accounts = "Accounts"
        case passkeys = "Passkeys"
        case administration = "Administration"
        case oauth = "OAuth 2.0 and OpenID Connect"
        case operation = "Operation"
    }

    /// Who may call it.
    package enum Access: Sendable {
        case anyone
        /// A user, with the access token of a session.
        case session
        /// An administrator, with the access token of a session, or a program with an API key of this scope.
        case administrator(AdministrationScope)
        /// An administrator, with the access token of a session.
        case administratorInSession
        /// An OAuth client, which authenticates as at the token endpoint.
        case client
        /// A client that has registered itself, with its registration access token (RFC 7592 §3).
        case registration
    }

    /// The content of a request.
    package struct Content: Sendable {
        let mediaType: String
        let members: [JSONSchema.Member]
        let isRequired: Bool

        static func json(_ members: JSONSchema.Member..., isRequired: Bool = true) -> Content {
            Content(mediaType: "application/json", members: members, isRequired: isRequired)
        }

        static func form(_ members: JSONSchema.Member..., isRequired: Bool = true) -> Content {
            Content(mediaType: "application/x-www-form-urlencoded", members: members, isRequired: isRequired)
        }

        static func members(_ members: [JSONSchema.Member]) -> Content {
            Content(mediaType: "application/json", members: members, isRequired: true)
        }
    }

    /// A response that reports success, or a refusal with members that others do not have.
    package struct Answer: Sendable {
        var status = HTTPStatus.ok
        /// The form of the content; nil without content, or if it is not JSON.
        var schema: JSONSchema?
        var mediaType: String? = "application/json"
        /// Whether it names the place of what was made (RFC 9110 §10.2.2).
        var hasLocation = false

        static func json(_ schema: JSONSchema, _ status: HTTPStatus = .ok) -> Answer {
            Answer(status: status, schema: schema)
        }

        /// Returns the response to a request that has made something which has a place.
        static func created(_ schema: JSONSchema) -> Answer {
            Answer(status: .created, schema: schema, hasLocation: true)
        }

        static let message = json(.object([.required("message", .text())]))
        static let noContent = Answer(status: .noContent, mediaType: nil)
    }

    /// The name for generated clients.
    let id: String
    let summary: String
    let section: Section
    let access: Access
    let query: [JSONSchema.Member]
    /// The contents that it takes, of which a request has one.
    let contents: [Content]
    let answers: [Answer]
    /// The errors besides those of its access, its content and the limits.
    let errors: [IdentityError]
    let format: ErrorFormat

    init(
        _ id: String, _ summary: String, in section: Section, for access: Access = .anyone,
        query: [JSONSchema.Member] = [], takes contents: Content..., returns answers: Answer...,
        refuses errors: [IdentityError] = [], as format: ErrorFormat = .message
    ) {
        self.init(
            id, summary, in: section, for: access, query: query, takes: contents, returns: answers, refuses: errors,
            as: format)
    }

    init(
        _ id: String, _ summary: String, in section: Section, for access: Access, query: [JSONSchema.Member] = [],
        takes contents: [Content], returns answers: [Answer], refuses errors: [IdentityError] = [],
        as format: ErrorFormat = .message
    ) {
        self.id = id
        self.summary = summary
        self.section = section
        self.access = access
        self.query = query
        self.contents = contents
        self.answers = answers
        self.errors = errors
        self.format = format
    }

    /// What the operation refuses, by status.
    var refusals: [(status: HTTPStatus, errors: [IdentityError])] {
        let all =
            errors + access.refusals + (contents.isEmpty ? [] : [.contentTooLarge]) + [
                .invalidInput, .tooManyAttempts, .overloaded, .unavailable,
            ]
        var found: [HTTPStatus: [IdentityError]] = [:]
        for error in all + (contents.contains { $0.mediaType == "application/json" } ? [.notJSON] : []) {
            let status = format.isOAuth ? error.form.oauthStatus ?? error.form.status : error.form.status
            guard found[status]?.contains(where: { $0.code == error.code }) != true else { continue }
            found[status, default: []].append(error)
        }
        return found.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}

extension APIOperation.Access {
    /// What the check of a caller refuses.
    fileprivate var refusals: [IdentityError] {
        switch self {
        case .anyone: []
        case .session: [.invalidToken, .forbidden]
        case .administrator(let scope): Self.ofAdministrators(changing: scope.isForChanges) + [.insufficientScope]
        case .administratorInSession: Self.ofAdministrators(changing: true)
        case .client: [.invalidClient, .unauthorizedClient]
        case .registration: [.invalidRegistrationToken]
        }
    }

    private static func ofAdministrators(changing: Bool) -> [IdentityError] {
        [.invalidToken, .forbidden, .administrationNeedsFactor] + (changing ? [.signInAgain] : [])
    }
}

extension Router {
    /// Adds a `GET` endpoint of the description.
    package mutating func get(_ pattern: String, _ operation: APIOperation, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.get, pattern, describedBy: operation, handledBy: ClosureHandler(body))
    }

    /// Adds a `GET` endpoint of the description that does not wait.
    package mutating func getImmediately(
        _ pattern: String, _ operation: APIOperation,
        _ body: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
    ) {
        on(.get, pattern, describedBy: operation, handledBy: ImmediateClosureHandler(body))
    }

    /// Adds a `POST` endpoint of the description.
    mutating func post(_ pattern: String, _ operation: APIOperation, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.post, pattern, describedBy: operation, handledBy: ClosureHandler(body))
    }

    /// Adds a `PUT` endpoint of the description.
    mutating func put(_ pattern: String, _ operation: APIOperation, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.put, pattern, describedBy: operation, handledBy: ClosureHandler(body))
    }

    /// Adds a `PATCH` endpoint of the description.
    mutating func patch(_ pattern: String, _ operation: APIOperation, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.patch, pattern, describedBy: operation, handledBy: ClosureHandler(body))
    }

    /// Adds a `DELETE` endpoint of the description.
    mutating func delete(_ pattern: String, _ operation: APIOperation, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.delete, pattern, describedBy: operation, handledBy: ClosureHandler(body))
    }
}
