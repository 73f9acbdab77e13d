// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchIdentityPages
@testable import LatchServer

/// The description of the JSON routes, beside what the routes do.
///
/// Each response of every test of this server is compared with it, too.
@Suite struct OpenAPITests {
    private func site() async throws -> Site {
        try await Site.authorizing {
            $0.registration = .open
            $0.loginLimitPerMinute = 100_000
            $0.requestLimitPerMinute = 100_000
            $0.tokenLimitPerMinute = 100_000
            $0.mailLimitPerHour = 100_000
            $0.signUpLimitPerHour = 100_000
        }
    }

    /// The routes with JSON that the description leaves out, with the reason.
    private static let left = [
        "GET /api/openapi.json": "the description itself",
        "GET /.well-known/passkey-endpoints": "for password managers",
    ]

    @Test func `Each route that answers with JSON is described`() async throws {
        let site = try await site()
        let router = try #require(site.identity.handler as? Router)
        let described = Set(router.described(by: APIOperation.self).map { "\($0.method) \($0.pattern)" })
        for route in router.routes {
            let name = "\(route.method) \(route.pattern)"
            guard !described.contains(name), Self.left[name] == nil, !name.contains("UserService") else { continue }
            let path = route.pattern.replacing("{", with: "").replacing("}", with: "")
            let response = try await site.send(
                route.method, path, fields: [.contentType: "application/json"],
                body: route.method.isSafe ? .empty : HTTPBody("{}"))
            let type = response.field(.contentType) ?? ""
            #expect(!type.contains("json"), "\(name) answers \(response.status) with \(type)")
        }
        await site.close()
    }

    @Test func `The document has the parts of OpenAPI 3.1, and no operation has the name of another`() async throws {
        let site = try await site()
        let response = try await site.get("/api/openapi.json")
        #expect(response.status == 200 && response.field("Access-Control-Allow-Origin") == "*")
        expectEqual(response.json["openapi"], "3.1.0")
        expectEqual(response.json["servers"], [["url": .string(site.origin.description)]])
        let paths = try #require(response.json["paths"]?.objectValue)
        let operations = paths.flatMap { $0.value.objectValue?.map(\.value) ?? [] }
        let names = operations.compactMap { $0["operationId"]?.stringValue }
        #expect(names.count == operations.count && Set(names).count == names.count && names.count > 60)
        // Each reference leads somewhere.
        let schemas = try #require(response.json["components"]?["schemas"]?.objectValue)
        for part in response.text.split(separator: "#/components/schemas/").dropFirst() {
            let name = String(part.prefix { $0 != "\"" })
            #expect(schemas[name] != nil, "\(name)")
        }
        await site.close()
    }

    /// The members that the route reads only with others, and the hints that RFC 7009 §2.1 lets a server ignore.
    private static let conditional: Set<String> = [
        "logInOfJWTAuth username", "resetPassword newPassword", "resetPassword password",
        "verifyEmail token", "verifyEmail email", "verifyEmail code", "verifyEmail password",
        // One proof of several.
        "reauthenticate password", "reauthenticate otp", "reauthenticate code", "reauthenticate code_verifier",
        // RFC 7592 §2.2: the client proves itself first.
        "updateRegistration client_id", "updateRegistration redirect_uris", "updateRegistration client_name",
        // RFC 7591 §2: what the server does not understand, it ignores.
        "registerClient client_name",
        // Any other value is no request for it.
        "logOutOfJWTAuth allDevices",
        // The client is looked up first.
        "revokeToken token_type_hint", "updateClient jwks",
    ]
    /// What the content of an operation needs besides its required members.
    private static let others: [String: JSONObject] = [
        "logInOfJWTAuth": ["email": "eve@example.com"], "resetPassword": ["password": "Secret123!"],
        "registerClient": ["redirect_uris": ["https://app.example/back"]],
    ]

    /// Sends a content with the member as `value`, and all others that the operation requires, to each described route.
    private func refusals(
        onlyRequired: Bool, of value: JSONValue?, _ site: Site
    ) async throws -> [(name: String, member: String, response: Response)] {
        let router = try #require(site.identity.handler as? Router)
        let account = try #require(try await site.identity.services.store.account(emailKey: "ada@example.com"))
        _ = try await site.identity.administration.setRole(of: account.id, to: .superAdmin)
        var token = try await site.logIn().access
        var found: [(String, String, Response)] = []
        for route in router.described(by: APIOperation.self) {
            let operation = route.description
            for content in operation.contents where content.mediaType == "application/json" {
                for member in content.members where member.isRequired || !onlyRequired {
                    let name = "\(operation.id) \(member.name)"
                    guard !Self.conditional.contains(name) else { continue }
                    var body = Self.others[operation.id] ?? [:]
                    for other in content.members where other.isRequired { body[other.name] = other.schema.example }
                    body[member.name] = value
                    // Some routes sign out the caller.
                    if try await site.get("/user/profile", bearer: token).status != 200 {
                        token = try await site.logIn().access
                    }
                    let path = route.pattern.replacing("{", with: "").replacing("}", with: "")
                    let response = try await site.send(
                        route.method, path,
                        fields: [.contentType: "application/json", .authorization: "Bearer \(token)"],
                        body: HTTPBody(JSONValue.object(body).serialized()))
                    found.append((name, member.name, response))
                }
            }
        }
        return found
    }

    @Test func `Each described member is read: a value of another type is refused with its name`() async throws {
        let site = try await site()
        // No schema has an array of arrays.
        for (name, member, response) in try await refusals(onlyRequired: false, of: [[1]], site) {
            #expect(
                response.status == 400 && response.text.contains(member),
                "\(name): \(response.status) \(response.text)")
        }
        await site.close()
    }

    @Test func `Each required member is missed with its name`() async throws {
        let site = try await site()
        for (name, member, response) in try await refusals(onlyRequired: true, of: nil, site) {
            #expect(
                response.status == 400 && response.text.contains(member),
                "\(name): \(response.status) \(response.text)")
        }
        await site.close()
    }
}

extension JSONSchema {
    /// A value of the schema.
    fileprivate var example: JSONValue {
        switch self {
        case .text(format: "email"): "eve@example.com"
        case .text(format: "uri"): "https://app.example/back"
        case .text(format: "date-time"): "2026-11-23T07:00:00Z"
        case .text: "x"
        case .choice(let values): .string(values.first ?? "")
        case .integer(let range): .integer(Int64(range?.lowerBound ?? 1))
        case .flag: true
        case .list(let element): [element.example]
        case .any, .map, .anyObject, .object, .open, .model: [:]
        case .optional: .null
        }
    }
}
