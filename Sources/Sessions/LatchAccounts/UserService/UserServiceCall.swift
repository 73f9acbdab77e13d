// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

// The RPCs of `userservice.v1.UserService` by Connect's JSON protocol: a POST with the request's JSON. Its errors have
// the same statuses as those of the other routes. This module therefore needs neither generated code nor the RPC
// runtime.

extension AuthClient {
    /// Calls a method with the session's credential, and returns the members of its response.
    ///
    /// - Parameters:
    ///   - method: The name of the method, such as `ChangePassword`.
    ///   - content: The members of the request; members with their default value may be omitted.
    ///   - token: A credential that replaces the session's.
    ///   - isOpen: Whether the call needs no credential.
    /// - Throws: `AccountError`, `HTTPError`, and `AuthError.stepUpRequired` where a recent authentication is required.
    func call(
        _ method: String, _ content: JSONObject = [:], bearing token: String? = nil, isOpen: Bool = false
    ) async throws -> JSONObject {
        try await response(to: method, content, bearing: token, isOpen: isOpen)
            .members(unauthorized: isOpen ? .wrongCredentials : .refused)
    }

    /// Calls a method, and returns the response with its date.
    func response(
        to method: String, _ content: JSONObject, bearing token: String? = nil, isOpen: Bool = false
    ) async throws -> HTTPResponse {
        // The request for the profile contains no password, so it is always tried: an earlier failure may have come
        // from a gateway.
        guard let folder = endpoints.userService, method == "GetProfile" || userServiceIsMissing.withLock({ !$0 })
        else { throw AccountError.notSupported }
        let sender = isOpen || token != nil ? openClient : client
        var request = try sender.request(
            .post, RoutePath("\(folder)/\(method)"),
            fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        if let token { request.fields[.authorization] = "Bearer \(token)" }
        let response = try await sender.respond(to: request)
        guard response.isOfUserService else {
            // Only sign-in calls decide this, because every user service has them.
            if isOpen { userServiceIsMissing.withLock { $0 = true } }
            throw AccountError.notSupported
        }
        if response.status.isSuccess { userServiceIsMissing.withLock { $0 = false } }
        return response
    }

    /// The identifier of the signed-in account.
    ///
    /// - Throws: `AuthError.missingToken` if no user is signed in.
    func accountID() async throws -> String {
        _ = try await session.credential()
        if let id = account?.id { return id }
        return try await profile().id
    }
}

extension HTTPResponse {
    /// Whether the user service may have written the response, instead of the backend's other routes, a web app or a
    /// gateway.
    ///
    /// Its errors have one of the protocol's codes, even a 404 of an existing method. An outage or a rate limit does
    /// not show whether the service exists.
    fileprivate var isOfUserService: Bool {
        if status == .tooManyRequests || (status.isServerError && status != 501) { return true }
        let members = (try? JSONValue(parsing: body.bytesWithoutMark))?.objectValue
        if status.isSuccess { return members != nil }
        guard let code = members?["code"]?.stringValue else { return fields["latch-code"] != nil }
        return fields["latch-code"] != nil || Self.codes.contains(code)
    }

    /// The codes of Connect's errors except `unimplemented`, which servers send for methods that they do not have.
    private static let codes: Set<String> = [
        "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists",
        "permission_denied",
        "resource_exhausted", "failed_precondition", "aborted", "out_of_range", "internal", "unavailable", "data_loss",
        "unauthenticated",
    ]
}

extension JSONObject {
    /// Returns a text member; nil for a missing or an empty one, which proto3 does not distinguish.
    func filled(_ name: String) -> String? {
        self[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a timestamp in the form of RFC 3339, as proto3's JSON has it; nil if it is missing.
    func timestamp(_ name: String) -> Date? {
        guard let text = filled(name) else { return nil }
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }
}
