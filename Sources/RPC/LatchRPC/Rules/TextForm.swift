// SPDX-License-Identifier: Apache-2.0

/// A form that a text can be asked to have, by its name in protovalidate's `string` rules.
enum TextForm: String, Sendable, CaseIterable {
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

    /// What a text has that is of the form, for a message.
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
        case .name: "full name of protobuf"
        case .dottedName: "full name of protobuf with a dot in front"
        case .headerName, .looseHeaderName: "HTTP header name"
        case .headerValue, .looseHeaderValue: "HTTP header value"
        case .hostname: "hostname"
        }
    }

    /// The rule's name in violations.
    var rule: String { rawValue.hasSuffix(".loose") ? String(rawValue.dropLast(6)) : rawValue }

    /// Whether an empty text has a rule of its own, since it is no text of the form.
    var refusesEmpty: Bool { self != .uriReference && self != .headerValue && self != .looseHeaderValue }

    /// Whether a text has the form.
    func accepts(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        switch self {
        case .email: return MailForm.isAddress(bytes)
        case .hostname: return HostForm.isName(bytes[...])
        case .ip: return IPForm.isAddress(bytes[...])
        case .ipv4: return IPForm.octets(bytes[...]) != nil
        case .ipv6: return IPForm.groups(bytes[...], allowsZone: true) != nil
        case .uri: return URIForm.isURI(bytes)
        case .uriReference: return URIForm.isReference(bytes)
        case .address: return HostForm.isName(bytes[...]) || IPForm.isAddress(bytes[...])
        case .uuid: return NameForm.isUUID(bytes)
        case .trimmedUUID: return bytes.count == 32 && bytes.allSatisfy(\.isHexDigit)
        case .prefixLength: return IPForm.isPrefix(bytes[...], versions: [4, 6], isStrict: false)
        case .prefixLength4: return IPForm.isPrefix(bytes[...], versions: [4], isStrict: false)
        case .prefixLength6: return IPForm.isPrefix(bytes[...], versions: [6], isStrict: false)
        case .prefix: return IPForm.isPrefix(bytes[...], versions: [4, 6], isStrict: true)
        case .prefix4: return IPForm.isPrefix(bytes[...], versions: [4], isStrict: true)
        case .prefix6: return IPForm.isPrefix(bytes[...], versions: [6], isStrict: true)
        case .hostAndPort: return HostForm.isHostAndPort(bytes)
        case .ulid: return NameForm.isULID(bytes)
        case .name: return NameForm.isQualified(bytes[...])
        case .dottedName: return bytes.first == UInt8(ascii: ".") && NameForm.isQualified(bytes.dropFirst())
        case .headerName: return NameForm.isHeaderName(bytes)
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

    /// What no header may hold: NUL, line feed and carriage return (RFC 9110 §5.5).
    fileprivate var endsHeader: Bool { self == 0 || self == 0x0A || self == 0x0D }
}
