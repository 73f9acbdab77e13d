// SPDX-License-Identifier: Apache-2.0

/// A well-known string format of protovalidate's `string` rules.
struct StringFormat: Sendable {
    /// The name of the format in messages.
    let description: String
    /// Whether an empty string violates a separate rule.
    var refusesEmpty = true
    let check: @Sendable (ArraySlice<UInt8>) -> Bool

    /// Whether a string has the format.
    func accepts(_ text: String) -> Bool { check(Array(text.utf8)[...]) }

    static let email = StringFormat(description: "email address", check: IdentifierFormat.isEmail)
    static let uri = StringFormat(description: "URI", check: URIFormat.isURI)
    static let uuid = StringFormat(description: "UUID", check: IdentifierFormat.isUUID)

    /// The formats by the names of their rules.
    static let all: [String: StringFormat] = [
        "email": email,
        "hostname": StringFormat(description: "hostname", check: HostFormat.isName),
        "ip": StringFormat(description: "IP address", check: IPFormat.isAddress),
        "ipv4": StringFormat(description: "IPv4 address") { IPFormat.octets($0) != nil },
        "ipv6": StringFormat(description: "IPv6 address") { IPFormat.groups($0, allowsZone: true) != nil },
        "uri": uri,
        "uri_ref": StringFormat(description: "URI reference", refusesEmpty: false, check: URIFormat.isReference),
        "address": StringFormat(description: "hostname or IP address") {
            HostFormat.isName($0) || IPFormat.isAddress($0)
        },
        "uuid": uuid,
        "tuuid": StringFormat(description: "UUID without dashes") { $0.count == 32 && $0.allSatisfy(\.isHexDigit) },
        "ip_with_prefixlen": prefix("IP address with prefix length", [4, 6], isStrict: false),
        "ipv4_with_prefixlen": prefix("IPv4 address with prefix length", [4], isStrict: false),
        "ipv6_with_prefixlen": prefix("IPv6 address with prefix length", [6], isStrict: false),
        "ip_prefix": prefix("IP prefix", [4, 6], isStrict: true),
        "ipv4_prefix": prefix("IPv4 prefix", [4], isStrict: true),
        "ipv6_prefix": prefix("IPv6 prefix", [6], isStrict: true),
        "host_and_port": StringFormat(description: "host and port", check: HostFormat.isHostAndPort),
        "ulid": StringFormat(description: "ULID", check: IdentifierFormat.isULID),
        "protobuf_fqn": StringFormat(description: "fully-qualified protobuf name", check: IdentifierFormat.isQualified),
        "protobuf_dot_fqn": StringFormat(description: "fully-qualified protobuf name with a leading dot") {
            $0.first == UInt8(ascii: ".") && IdentifierFormat.isQualified($0.dropFirst())
        },
        "well_known_regex.header_name": StringFormat(
            description: "HTTP header name", check: IdentifierFormat.isHeaderName),
        "well_known_regex.header_name.loose": StringFormat(description: "HTTP header name") {
            !$0.isEmpty && !$0.contains(where: \.endsHeader)
        },
        "well_known_regex.header_value": StringFormat(description: "HTTP header value", refusesEmpty: false) {
            $0.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
        },
        "well_known_regex.header_value.loose": StringFormat(description: "HTTP header value", refusesEmpty: false) {
            !$0.contains(where: \.endsHeader)
        },
    ]

    private static func prefix(_ description: String, _ versions: Set<Int>, isStrict: Bool) -> StringFormat {
        StringFormat(description: description) { IPFormat.isPrefix($0, versions: versions, isStrict: isStrict) }
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    var isHexDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }

    /// Whether the byte is forbidden in headers: NUL, line feed or carriage return (RFC 9110 §5.5).
    fileprivate var endsHeader: Bool { self == 0 || self == 0x0A || self == 0x0D }
}

/// The string checks that generated validation code calls.
public enum TextForms {
    /// Whether a string is an email address (https://html.spec.whatwg.org/#valid-e-mail-address).
    public static func isEmail(_ text: String) -> Bool { StringFormat.email.accepts(text) }

    /// Whether a string is a UUID (RFC 9562 §4).
    public static func isUUID(_ text: String) -> Bool { StringFormat.uuid.accepts(text) }

    /// Whether a string is a URI with its scheme (RFC 3986 §3).
    public static func isURI(_ text: String) -> Bool { StringFormat.uri.accepts(text) }
}
