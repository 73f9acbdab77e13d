// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation
import LatchHTTP

/// The parameters of an authorization request that the program chooses (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1).
///
/// State, nonce, code challenge, redirect URI and client are missing here, because each attempt has different ones.
public struct AuthorizationRequest: Sendable, Hashable {
    /// The requested scopes; nil for those of the configuration.
    public var scopes: Scopes?
    /// Additional scopes to request, such as those of a resource's challenge.
    public var additionalScopes: Scopes = []
    /// The resources that the access token is for (RFC 8707 §2), as absolute URIs.
    public var resources: [String] = []
    /// The authorizations for which scopes are too coarse (RFC 9396 §2).
    public var authorizationDetails: [AuthorizationDetail] = []
    /// The interactions that the server must have with the user; empty lets it decide.
    public var prompts: [StepUpRequirement.Prompt] = []
    /// Whether the server must not show any page.
    ///
    /// It then responds with a code or with `OAuthError.interactionRequired`.
    public var isSilent = false
    /// The maximum time since the user's authentication; nil accepts any.
    public var maximumAge: Duration?
    /// The authentication context classes, one of which suffices, in order of preference (RFC 9470 §4).
    public var contextClasses: [String] = []
    /// The address or the name that the user will probably sign in with.
    public var loginHint: String?
    /// The languages of the pages in order of preference, as BCP 47 tags.
    public var languages: [String] = []
    /// The ID token of the user who is expected to be signed in.
    public var idTokenHint: String?
    /// The way in which the server returns its response; nil for that of the configuration.
    public var responseMode: ResponseMode?
    /// The claims that are requested one by one (OpenID Connect Core §5.5).
    public var claims: JSONObject?
    /// Additional parameters, such as those of one server only.
    ///
    /// Parameters that this type or an attempt sets are ignored.
    public var parameters: [(String, String)] = []

    /// Creates a request.
    public init(scopes: Scopes? = nil, loginHint: String? = nil) {
        self.scopes = scopes
        self.loginHint = loginHint
    }

    /// Creates a request that meets a requirement (RFC 9470 §4).
    public init(satisfying requirement: StepUpRequirement) {
        additionalScopes = requirement.scopes ?? []
        contextClasses = requirement.contextClasses
        maximumAge = requirement.maximumAge
        prompts = requirement.prompt.map { [$0] } ?? []
        claims = requirement.claims
    }

    /// The response mode of the request, which earlier versions named among the other parameters.
    package var chosenMode: ResponseMode? {
        responseMode ?? parameters.first { $0.0 == "response_mode" }.flatMap { ResponseMode(rawValue: $0.1) }
    }

    /// The parameters without those of the attempt; a parameter without a value is left out.
    func parameters(scopes: Scopes) -> [(String, String)] {
        var list: [(String, String)] = [("scope", scopes.text)]
        list += resources.map { ("resource", $0) }
        if !authorizationDetails.isEmpty {
            let details = JSONValue.array(authorizationDetails.map { .object($0.members) })
            list.append(("authorization_details", String(decoding: details.serialized(), as: UTF8.self)))
        }
        list.append(("prompt", isSilent ? "none" : prompts.map(\.rawValue).joined(separator: " ")))
        list.append(("max_age", maximumAge.map { String(max(0, $0.components.seconds)) } ?? ""))
        list.append(("acr_values", contextClasses.joined(separator: " ")))
        list.append(("login_hint", loginHint ?? ""))
        list.append(("ui_locales", languages.joined(separator: " ")))
        list.append(("id_token_hint", idTokenHint ?? ""))
        list.append(("response_mode", chosenMode?.rawValue ?? ""))
        if let claims {
            list.append(("claims", String(decoding: JSONValue.object(claims).serialized(), as: UTF8.self)))
        }
        // RFC 6749 §3.1: no parameter occurs twice.
        let own = Set(list.map(\.0))
        return (list + parameters.filter { !own.contains($0.0) }).filter { !$0.1.isEmpty }
    }

    /// Compares all parameters.
    public static func == (one: AuthorizationRequest, other: AuthorizationRequest) -> Bool {
        one.list.elementsEqual(other.list) { $0 == $1 }
    }

    /// Hashes all parameters.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in list { hasher.combine([name, value]) }
    }

    private var list: [(String, String)] {
        parameters(scopes: scopes ?? []) + [("additional_scope", additionalScopes.text)]
    }
}

/// An authorization that is described by its type's own members (RFC 9396 §2).
///
/// ```swift
/// var detail = AuthorizationDetail(type: "payment_initiation")
/// detail.locations = ["https://bank.example/payments"]
/// detail["instructedAmount"] = ["currency": "EUR", "amount": "12.50"]
/// ```
public struct AuthorizationDetail: Sendable, Hashable {
    /// All members, as they are sent.
    public private(set) var members: JSONObject

    /// Creates a detail of a type.
    public init(type: String) { members = ["type": .string(type)] }

    /// Creates a detail from its members; nil without a type.
    init?(_ value: JSONValue) {
        guard let members = value.objectValue, members["type"]?.stringValue != nil else { return nil }
        self.members = members
    }

    /// The type, which determines the other members.
    public var type: String { members["type"]?.stringValue ?? "" }

    /// The resources that the authorization concerns.
    public var locations: [String] {
        get { texts("locations") }
        set { set("locations", newValue) }
    }

    /// The actions at the resources.
    public var actions: [String] {
        get { texts("actions") }
        set { set("actions", newValue) }
    }

    /// The kinds of data.
    public var dataTypes: [String] {
        get { texts("datatypes") }
        set { set("datatypes", newValue) }
    }

    /// The levels of access.
    public var privileges: [String] {
        get { texts("privileges") }
        set { set("privileges", newValue) }
    }

    /// The resource at the location.
    public var identifier: String? {
        get { members["identifier"]?.stringValue }
        set { members["identifier"] = newValue.map { .string($0) } }
    }

    /// A member that the type defines; the type itself cannot be changed.
    public subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { if name != "type" { members[name] = newValue } }
    }

    private func texts(_ name: String) -> [String] { members[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }

    private mutating func set(_ name: String, _ texts: [String]) {
        members[name] = texts.isEmpty ? nil : .array(texts.map { .string($0) })
    }
}

extension URL {
    /// Returns the URL with additional query parameters; existing ones stay (RFC 6749 §3.1).
    func adding(_ parameters: [(String, String)]) throws(OAuthError) -> URL {
        let separator = query() == nil ? "?" : "&"
        guard let url = URL(encodingOnce: absoluteString + separator + FormEncoding.encode(parameters)) else {
            throw .invalidMetadata("its authorization_endpoint is not a URL")
        }
        return url
    }
}
