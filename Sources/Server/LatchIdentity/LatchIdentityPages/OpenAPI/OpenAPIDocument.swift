// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer
import Synchronization

/// The description of the server's JSON routes, made from the routes themselves (OpenAPI 3.1.0).
package struct OpenAPIDocument: Sendable {
    static let path = "/api/openapi.json"

    private let router: Router
    private let serviceName: String
    private let version: String

    /// Describes the routes of a router, whose description is made when it is asked for.
    package init(described router: Router, serviceName: String, version: String) {
        (self.router, self.serviceName, self.version) = (router, serviceName, version)
    }

    /// Returns the document of a server at a URL.
    package func json(at issuer: String) -> JSONObject {
        var (paths, models) = (JSONObject(), JSONObject())
        let routes = router.described(by: APIOperation.self).sorted {
            ($0.pattern, $0.method.rawValue) < ($1.pattern, $1.method.rawValue)
        }
        for route in routes {
            var path = paths[route.pattern]?.objectValue ?? [:]
            path[route.method.rawValue.lowercasedASCII()] = .object(
                route.description.json(at: route.pattern, addingTo: &models))
            paths[route.pattern] = .object(path)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": .string(serviceName), "version": .string(version),
                "description": """
                The JSON routes of the auth server. Its pages, and the RPCs of userservice.v1.UserService with their \
                .proto file, are not described here. A client must ignore members that it does not know.
                """,
            ],
            "tags": .array(APIOperation.Section.allCases.map { ["name": .string($0.rawValue)] }),
            "paths": .object(paths),
            "components": ["schemas": .object(models), "securitySchemes": .object(Self.securitySchemes)],
            "servers": [["url": .string(issuer)]],
        ]
    }

    /// The ways to authenticate, by the name that operations use.
    private static let securitySchemes: JSONObject = [
        "session": [
            "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
            "description": "The access token of a session (RFC 6750 §2.1).",
        ],
        "apiKey": [
            "type": "http", "scheme": "bearer",
            "description": "An API key of an administrator, with the scope that the operation names.",
        ],
        "client": [
            "type": "http", "scheme": "basic",
            "description": """
            The ID and the secret of an OAuth client (RFC 6749 §2.3.1). The other methods of the server's metadata \
            work, too; a public client sends only the parameter client_id.
            """,
        ],
        "registration": [
            "type": "http", "scheme": "bearer", "description": "A registration access token (RFC 7592 §3).",
        ],
    ]
}

/// The route of the description, which is written once for each issuer.
package final class OpenAPIRoutes: Sendable {
    private let limits: RateLimits
    private let accessTokens: AccessTokenIssuer
    private let document: OpenAPIDocument
    /// The last written document, and its issuer.
    private let written = Mutex<(issuer: String, json: [UInt8])?>(nil)

    package init(limits: RateLimits, accessTokens: AccessTokenIssuer, document: OpenAPIDocument) {
        (self.limits, self.accessTokens, self.document) = (limits, accessTokens, document)
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.other)) { $0.getImmediately(OpenAPIDocument.path, describe) }
    }

    @Sendable private func describe(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let issuer = accessTokens.issuer else { throw IdentityError.notReady }
        let json = written.withLock { written in
            if let written, written.issuer == issuer { return written.json }
            let url = String(issuer.withoutFinalSlash)
            let json = Array(JSONValue.object(document.json(at: url)).serialized())
            written = (issuer, json)
            return json
        }
        var response = HTTPResponse.json(json)
        response.fields[.cacheControl] = "public, max-age=300"
        // Tools that show the description are pages of other origins.
        response.fields["Access-Control-Allow-Origin"] = "*"
        return response
    }
}

extension APIOperation {
    fileprivate func json(at pattern: String, addingTo models: inout JSONObject) -> JSONObject {
        var json: JSONObject = [
            "operationId": .string(id), "summary": .string(summary), "tags": [.string(section.rawValue)],
        ]
        if case .administrator(let scope) = access {
            json["description"] = .string("An API key needs the scope \(scope.rawValue).")
        }
        let path = Self.names(in: pattern).map { name in
            Self.parameter(.required(name, .text(), Self.notes[name]), in: "path", &models)
        }
        let all = path + query.map { Self.parameter($0, in: "query", &models) }
        if !all.isEmpty { json["parameters"] = .array(all) }
        if !contents.isEmpty {
            var types = JSONObject()
            for content in contents {
                types[content.mediaType] = [
                    "schema": .object(JSONSchema.object(content.members).json(addingTo: &models))
                ]
            }
            json["requestBody"] = ["required": .bool(contents.allSatisfy(\.isRequired)), "content": .object(types)]
        }
        json["responses"] = .object(responses(addingTo: &models))
        if !access.schemes.isEmpty { json["security"] = .array(access.schemes.map { .object($0) }) }
        return json
    }

    private func responses(addingTo models: inout JSONObject) -> JSONObject {
        var responses = JSONObject()
        for answer in answers {
            let code = "\(answer.status.rawValue)"
            var response =
                responses[code]?.objectValue ?? [
                    "description": .string(answer.status.isSuccess ? "Success" : "Failure")
                ]
            if let type = answer.mediaType {
                var content = response["content"]?.objectValue ?? [:]
                content[type] = .object(
                    answer.schema.map { ["schema": .object($0.json(addingTo: &models))] } ?? [:])
                response["content"] = .object(content)
            }
            if answer.hasLocation { response["headers"] = Self.headers(of: answer.status) }
            responses[code] = .object(response)
        }
        let schema: JSONValue = .object(JSONSchema.model(format.model).json(addingTo: &models))
        // An answer such as the 503 of a health check stays.
        for (status, errors) in refusals where responses["\(status.rawValue)"] == nil {
            var response: JSONObject = [
                "description": .string(errors.map { "\($0.code): \($0.message)" }.joined(separator: "\n")),
                "content": ["application/json": ["schema": schema]],
            ]
            response["headers"] = Self.headers(of: status)
            responses["\(status.rawValue)"] = .object(response)
        }
        return responses
    }

    /// What the parameters of paths are, by their names.
    private static let notes = [
        "id": "The ID, as lists return it.", "client": "The client_id.", "device": "The ID of a device.",
        "passkey": "The ID of a passkey.",
        "provider": "The name of an identity provider.",
        "hook": "The name of a hook in the settings.",
    ]

    /// Returns the fields that a client needs from a refusal, or from a response that something was made.
    private static func headers(of status: HTTPStatus) -> JSONValue? {
        func field(_ name: String, _ type: String, _ text: String) -> JSONObject {
            [name: ["description": .string(text), "schema": ["type": .string(type)]]]
        }
        return switch status {
        case .tooManyRequests, .serviceUnavailable:
            .object(field("Retry-After", "integer", "The seconds to wait (RFC 9110 §10.2.3), if they are known."))
        case .created: .object(field("Location", "string", "The path of what was made (RFC 9110 §10.2.2)."))
        case .unauthorized: .object(field("WWW-Authenticate", "string", "The challenge (RFC 9110 §11.6.1)."))
        default: nil
        }
    }

    /// Returns the names of a pattern's parameters.
    private static func names(in pattern: String) -> [String] {
        pattern.utf8.split(separator: UInt8(ascii: "/")).compactMap { segment in
            guard segment.first == UInt8(ascii: "{"), segment.last == UInt8(ascii: "}") else { return nil }
            return String(segment.dropFirst().dropLast())
        }
    }

    private static func parameter(
        _ member: JSONSchema.Member, in place: String, _ models: inout JSONObject
    ) -> JSONValue {
        var json: JSONObject = [
            "name": .string(member.name), "in": .string(place), "required": .bool(member.isRequired),
            "schema": .object(member.schema.json(addingTo: &models)),
        ]
        json["description"] = member.note.map { .string($0) }
        return .object(json)
    }
}

extension APIOperation.Access {
    /// The security schemes, of which a request needs one; an API key needs the named scope (OpenAPI 3.1.0 §4.8.30).
    fileprivate var schemes: [JSONObject] {
        switch self {
        case .anyone: []
        case .session, .administratorInSession: [["session": []]]
        case .administrator(let scope): [["session": []], ["apiKey": [.string(scope.rawValue)]]]
        // Public clients, and those that authenticate in the form.
        case .client: [["client": []], [:]]
        case .registration: [["registration": []]]
        }
    }
}

extension ErrorFormat {
    /// The content of errors.
    fileprivate var model: JSONSchema.Model {
        switch self {
        case .message, .page:
            JSONSchema.Model(
                name: "ErrorResponse",
                members: [
                    .required("message", .text(), "What happened, in English."),
                    .required("code", .text(), "A stable name, such as invalidInput."),
                    .optional("hint", .text(), "What to do next."),
                    .optional("field", .text(), "The member of the content that is refused."),
                ])
        case .detail:
            JSONSchema.Model(
                name: "DetailedErrorResponse",
                members: [
                    .required("message", .text()), .required("code", .text()), .optional("hint", .text()),
                    .optional("field", .text()), .required("detail", .text()), .required("error_code", .text()),
                    .optional("retry_after", .integer()),
                ])
        case .oauth:
            JSONSchema.Model(
                name: "OAuthErrorResponse",
                members: [
                    .required("error", .text(), "A code of RFC 6749 §5.2, or of an extension."),
                    .optional("error_description", .text()), .required("detail", .text()),
                    .required("error_code", .text()), .optional("retry_after", .integer()),
                ])
        }
    }
}
