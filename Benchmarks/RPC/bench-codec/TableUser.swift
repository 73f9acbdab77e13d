// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// A user in the shape of generated code: one object, and a table of its fields.
struct TableUser: Message {
    static let schema = MessageSchema(
        "bench.User",
        """
        1 id string
        2 email string
        3 username string
        4 first_name string
        5 last_name string
        6 display_name string
        7 avatar_url string
        8 role enum 0
        9 status enum 0
        10 verified bool
        11 created_at message 1
        12 updated_at message 1
        13 last_login_at message 1
        16 permissions string repeated
        17 scores int32 repeated
        18 reputation double
        """,
        types: [TableRole.self, Timestamp.self])

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    var id: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }
    var email: String {
        get { storage[string: 1] }
        set { storage[string: 1] = newValue }
    }
    var username: String {
        get { storage[string: 2] }
        set { storage[string: 2] = newValue }
    }
    var firstName: String {
        get { storage[string: 3] }
        set { storage[string: 3] = newValue }
    }
    var lastName: String {
        get { storage[string: 4] }
        set { storage[string: 4] = newValue }
    }
    var displayName: String {
        get { storage[string: 5] }
        set { storage[string: 5] = newValue }
    }
    var avatarURL: String {
        get { storage[string: 6] }
        set { storage[string: 6] = newValue }
    }
    var role: TableRole {
        get { storage[enum: 7] }
        set { storage[enum: 7] = newValue }
    }
    var status: TableRole {
        get { storage[enum: 8] }
        set { storage[enum: 8] = newValue }
    }
    var verified: Bool {
        get { storage[bool: 9] }
        set { storage[bool: 9] = newValue }
    }
    var createdAt: Timestamp? {
        get { storage[optionalMessage: 10] }
        set { storage[optionalMessage: 10] = newValue }
    }
    var updatedAt: Timestamp? {
        get { storage[optionalMessage: 11] }
        set { storage[optionalMessage: 11] = newValue }
    }
    var lastLoginAt: Timestamp? {
        get { storage[optionalMessage: 12] }
        set { storage[optionalMessage: 12] = newValue }
    }
    var permissions: [String] {
        get { storage[strings: 13] }
        set { storage[strings: 13] = newValue }
    }
    var scores: [Int32] {
        get { storage[int32s: 14] }
        set { storage[int32s: 14] = newValue }
    }
    var reputation: Double {
        get { storage[double: 15] }
        set { storage[double: 15] = newValue }
    }

    /// The user whose figures are printed: 302 bytes.
    static var sample: TableUser {
        var user = TableUser()
        user.id = "8f14e45f-ceea-467a-9575-6c2e3b1f1234"
        user.email = "ada.lovelace@example.com"
        user.username = "ada"
        user.firstName = "Ada"
        user.lastName = "Lovelace"
        user.displayName = "Ada Lovelace"
        user.avatarURL = "https://cdn.example.com/avatars/8f14e45f.png"
        user.role = .admin
        user.status = .user
        user.verified = true
        var time = Timestamp()
        time.seconds = 1_790_000_000
        time.nanos = 123_456_789
        (user.createdAt, user.updatedAt, user.lastLoginAt) = (time, time, time)
        user.permissions = ["users.read", "users.write", "notes.read", "notes.write", "admin"]
        user.scores = (0..<20).map { $0 * 100 }
        user.reputation = 0.87
        return user
    }
}

/// A page of users.
struct TableList: Message {
    static let schema = MessageSchema(
        "bench.List", "1 users message 0 repeated\n2 next_page string", types: [TableUser.self])

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    var users: [TableUser] {
        get { storage[messages: 0] }
        _modify { yield &storage[messages: 0] }
    }
}

enum TableRole: ProtoEnum {
    case unspecified, user, moderator, admin
    case unrecognized(Int32)

    static let schema = EnumSchema("bench.Role", "0 UNSPECIFIED\n1 USER\n2 MODERATOR\n3 ADMIN")
    static let allCases: [TableRole] = [.unspecified, .user, .moderator, .admin]

    init?(rawValue: Int32) {
        switch rawValue {
        case 0: self = .unspecified
        case 1: self = .user
        case 2: self = .moderator
        case 3: self = .admin
        default: self = .unrecognized(rawValue)
        }
    }

    var rawValue: Int32 {
        switch self {
        case .unspecified: 0
        case .user: 1
        case .moderator: 2
        case .admin: 3
        case .unrecognized(let number): number
        }
    }
}
