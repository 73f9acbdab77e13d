// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
public import LatchProtobuf

/// A message in the shape of generated code, with a field of each common kind.
public struct Person: Message {
    public static let schema = MessageSchema(
        "test.v1.Person",
        """
        1 id string
        8 role enum 0
        11 created_at message 1
        12 nickname string optional
        16 permissions string repeated
        17 devices message 2 repeated
        18 labels map string int32
        19 email string oneof 0
        20 phone string oneof 0
        21 access_token string secret
        22 friends map string message 3
        23 roles enum 0 repeated
        24 timeout message 4
        25 home message 2 oneof 0
        26 age int32 optional
        27 role_by_name map string enum 0
        28 logins map int64 message 1
        """,
        types: [PersonRole.self, TestTimestamp.self, Device.self, Person.self, TestDuration.self])

    public var storage: MessageStorage
    public init(storage: MessageStorage) { self.storage = storage }

    public enum Contact: Hashable, Sendable { case email(String), phone(String), home(Device) }

    public var id: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }
    public var role: PersonRole {
        get { storage[enum: 1] }
        set { storage[enum: 1] = newValue }
    }
    public var createdAt: Date {
        get { storage[date: 2] }
        set { storage[date: 2] = newValue }
    }
    public var hasCreatedAt: Bool { storage.has(2) }
    public mutating func clearCreatedAt() { storage.clear(2) }
    public var nickname: String? {
        get { storage[optionalString: 3] }
        set { storage[optionalString: 3] = newValue }
    }
    public var permissions: [String] {
        get { storage[strings: 4] }
        set { storage[strings: 4] = newValue }
    }
    public var devices: [Device] {
        get { storage[messages: 5] }
        set { storage[messages: 5] = newValue }
    }
    public var labels: [String: Int32] {
        get { storage[map: 6] }
        set { storage[map: 6] = newValue }
    }
    public var contact: Contact? {
        get {
            switch storage[oneof: 0] {
            case 19: .email(storage[string: 7])
            case 20: .phone(storage[string: 8])
            case 25: .home(storage[message: 13])
            default: nil
            }
        }
        set {
            switch newValue {
            case .email(let value): storage[string: 7] = value
            case .phone(let value): storage[string: 8] = value
            case .home(let value): storage[message: 13] = value
            case nil: storage.clear(oneof: 0)
            }
        }
    }
    public var accessToken: String {
        get { storage[string: 9] }
        set { storage[string: 9] = newValue }
    }
    public var friends: [String: Person] {
        get { storage[map: 10] }
        set { storage[map: 10] = newValue }
    }
    public var roles: [PersonRole] {
        get { storage[enums: 11] }
        set { storage[enums: 11] = newValue }
    }
    public var timeout: Duration {
        get { storage[duration: 12] }
        set { storage[duration: 12] = newValue }
    }
    public var age: Int32? {
        get { storage[optionalInt32: 14] }
        set { storage[optionalInt32: 14] = newValue }
    }
    public var roleByName: [String: PersonRole] {
        get { storage[map: 15] }
        set { storage[map: 15] = newValue }
    }
    public var logins: [Int64: Date] {
        get { storage[map: 16] }
        set { storage[map: 16] = newValue }
    }
}

public struct Device: Message {
    public static let schema = MessageSchema(
        "test.v1.Device",
        """
        1 name string
        2 serial bytes
        3 pin string secret
        """)

    public var storage: MessageStorage
    public init(storage: MessageStorage) { self.storage = storage }

    public var name: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }
    public var serial: Data {
        get { storage[bytes: 1] }
        set { storage[bytes: 1] = newValue }
    }
    public var pin: String {
        get { storage[string: 2] }
        set { storage[string: 2] = newValue }
    }
}

public struct TestTimestamp: Message {
    public static let schema = MessageSchema("google.protobuf.Timestamp", "1 seconds int64\n2 nanos int32")
    public var storage: MessageStorage
    public init(storage: MessageStorage) { self.storage = storage }
}

public struct TestDuration: Message {
    public static let schema = MessageSchema("google.protobuf.Duration", "1 seconds int64\n2 nanos int32")
    public var storage: MessageStorage
    public init(storage: MessageStorage) { self.storage = storage }
}

public enum PersonRole: ProtoEnum {
    case unspecified, user, admin
    case unrecognized(Int32)

    public static let schema = EnumSchema("test.v1.Role", "0 ROLE_UNSPECIFIED\n1 ROLE_USER\n2 ROLE_ADMIN")
    public static let allCases: [PersonRole] = [.unspecified, .user, .admin]

    public init?(rawValue: Int32) {
        switch rawValue {
        case 0: self = .unspecified
        case 1: self = .user
        case 2: self = .admin
        default: self = .unrecognized(rawValue)
        }
    }

    public var rawValue: Int32 {
        switch self {
        case .unspecified: 0
        case .user: 1
        case .admin: 2
        case .unrecognized(let number): number
        }
    }
}
