// SPDX-License-Identifier: Apache-2.0

/// A well-known string format, by its name in protovalidate's `string` rules.
enum StringFormat: String, Sendable, CaseIterable {
    case email, hostname, ip, ipv4, ipv6, uri
    case uriReference = "uri_ref"
    case address, uuid
    case trimmedUUID = "tuuid"
    case prefixLength = "ip_with_prefixlen"
    case prefixLength4 = "ipv4_with_prefixlen"
    case prefixLength6 = "ipv6_with_prefixlen"
    case prefix = "ip_prefix"
    case prefix4 = "ipv4_prefix"
    case prefix6 = "ipv6_prefix"
    case hostAndPort = "host_and_port"
    case ulid
    case name = "protobuf_fqn"
    case dottedName = "protobuf_dot_fqn"
    case headerName = "well_known_regex.header_name"
    case looseHeaderName = "well_known_regex.header_name.loose"
    case headerValue = "well_known_regex.header_value"
    case looseHeaderValue = "well_known_regex.header_value.loose"

    /// The name of the format for messages.
    var description: String {
        switch self {
        case .email: "email address"
        case .ip: "IP address"
        case .ipv4: "IPv4 address"
        case .ipv6: "IPv6 address"
        case .uri: "URI"
        case .uriReference: "URI reference"
        case .address: "hostname or IP address"
        case .uuid: "UUID"
        case .trimmedUUID: "UUID without dashes"
        case .prefixLength: "IP address with prefix length"
        case .prefixLength4: "IPv4 address with prefix length"
        case .prefixLength6: "IPv6 address with prefix length"
        case .prefix: "IP prefix"
        case .prefix4: "IPv4 prefix"
        case .prefix6: "IPv6 prefix"
        case .hostAndPort: "host and port"
        case .ulid: "ULID"
        case .name: "fully-qualified protobuf name"
        case .dottedName: "fully-qualified protobuf name with a leading dot"
        case .headerName, .looseHeaderName: "HTTP header name"
        case .headerValue, .looseHeaderValue: "HTTP header value"
        case .hostname: "hostname"
        }
    }

    /// The name of the rule in violations.
    var rule: String { rawValue.hasSuffix(".loose") ? String(rawValue.dropLast(6)) : rawValue }

    /// Whether an empty string violates a rule of its own.
    var refusesEmpty: Bool { self != .uriReference && self != .headerValue && self != .looseHeaderValue }

    /// Returns whether a string has the format.
    func accepts(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        switch self {
        case .email: return EmailFormat.isAddress(bytes)
        case .hostname: return HostFormat.isName(bytes[...])
        case .ip: return IPFormat.isAddress(bytes[...])
        case .ipv4: return IPFormat.octets(bytes[...]) != nil
        case .ipv6: return IPFormat.groups(bytes[...], allowsZone: true) != nil
        case .uri: return URIFormat.isURI(bytes)
        case .uriReference: return URIFormat.isReference(bytes)
        case .address: return HostFormat.isName(bytes[...]) || IPFormat.isAddress(bytes[...])
        case .uuid: return IdentifierFormat.isUUID(bytes)
        case .trimmedUUID: return bytes.count == 32 && bytes.allSatisfy(\.isHexDigit)
        case .prefixLength: return IPFormat.isPrefix(bytes[...], versions: [4, 6], isStrict: false)
        case .prefixLength4: return IPFormat.isPrefix(bytes[...], versions: [4], isStrict: false)
        case .prefixLength6: return IPFormat.isPrefix(bytes[...], versions: [6], isStrict: false)
        case .prefix: return IPFormat.isPrefix(bytes[...], versions: [4, 6], isStrict: true)
        case .prefix4: return IPFormat.isPrefix(bytes[...], versions: [4], isStrict: true)
        case .prefix6: return IPFormat.isPrefix(bytes[...], versions: [6], isStrict: true)
        case .hostAndPort: return HostFormat.isHostAndPort(bytes)
        case .ulid: return IdentifierFormat.isULID(bytes)
        case .name: return IdentifierFormat.isQualified(bytes[...])
        case .dottedName: return bytes.first == UInt8(ascii: ".") && IdentifierFormat.isQualified(bytes.dropFirst())
        case .headerName: return IdentifierFormat.isHeaderName(bytes)
        case .looseHeaderName: return !bytes.isEmpty && !bytes.contains(where: \.endsHeader)
        case .headerValue: return bytes.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
        case .looseHeaderValue: return !bytes.contains(where: \.endsHeader)
        }
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    var isHexDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }

    /// Whether the byte is forbidden in headers: NUL, line feed or carriage return (RFC 9110 §5.5).
    fileprivate var endsHeader: Bool { self == 0 || self == 0x0A || self == 0x0D }
}

/// The string checks of generated validation code.
public enum TextForms {
    /// Returns whether a string is an email address (https://html.spec.whatwg.org/#valid-e-mail-address).
    public static func isEmail(_ text: String) -> Bool { StringFormat.email.accepts(text) }

    /// Returns whether a string is a UUID (RFC 9562 §4).
    public static func isUUID(_ text: String) -> Bool { StringFormat.uuid.accepts(text) }

    /// Returns whether a string is a URI with its scheme (RFC 3986 §3).
    public static func isURI(_ text: String) -> Bool { StringFormat.uri.accepts(text) }
}
