// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The accounts of one person in one program, side by side, one of them current.
///
/// ```swift
/// let accounts = AccountList(service: "com.example.app") { entry, store in
///     Session(store: store) { renewal in try await issuer(entry.issuer).refresh(renewal) }
/// }
/// let entry = try await accounts.signIn(tokens, as: "ada@example.com", issuer: "https://id.example.com")
/// let session = try await accounts.session(for: entry.id)
/// ```
///
/// The list holds no secrets, and is kept beside them as one record. Each account has a record of tokens, turns and news
/// of its own, so whatever happens to one, a renewal that comes late included, touches no other. All processes of the person
/// see one list: its changes take turns among them, and its news travels without polling.
public actor AccountList {
    /// Makes the session of an account over the store of its tokens.
    public typealias MakeSession = @Sendable (AccountEntry, any TokenRecordStore<Tokens>) throws -> Session<Tokens>

    /// Gives the turns and the news of a record, by the record's name; nil where one process alone uses it.
    public typealias Coordinate = @Sendable (_ record: String) -> (any SessionCoordination)?

    private let record: AccountListRecord
    private let secrets: any SecretStore
    private let coordinate: Coordinate
    private let makeSession: MakeSession
    private let random: RandomSource

    /// Of the list itself; made once, since it knows its own news from others'.
    private let coordination: (any SessionCoordination)?
    /// One change after another within this process, and one look at the record after another.
    private let turn = AsyncMutex()
    private let broadcast = StateBroadcast(Content())
    /// Listens to the other processes, once somebody wants to know.
    private var listener: Task<Void, Never>?
    /// The live sessions of this process, by the account's identifier.
    private var sessions: [String: Session<Tokens>] = [:]

    /// A list that is kept in `secrets`, in the record `accounts`.
    ///
    /// - Parameters:
    ///   - secrets: Keeps the list and each account's tokens.
    ///   - random: For the identifiers of accounts.
    ///   - coordinate: How the processes that share the store take turns.
    ///   - makeSession: Makes an account's session, once in each process.
    public init(
        _ secrets: any SecretStore, random: RandomSource = .system, coordinate: @escaping Coordinate = { _ in nil },
        makeSession: @escaping MakeSession
    ) {
        self.secrets = secrets
        self.random = random
        self.coordinate = coordinate
        self.makeSession = makeSession
        record = AccountListRecord(secrets: secrets, name: "accounts")
        coordination = coordinate(record.name)
    }

    /// The accounts of a program, where the platform keeps secrets.
    ///
    /// - Parameters:
    ///   - service: Names the program, such as its bundle identifier.
    ///   - makeSession: Makes an account's session, once in each process.
    public init(service: String, makeSession: @escaping MakeSession) {
        self.init(
            platformSecretStore(service: service),
            coordinate: { platformCoordination(service: service, account: $0) }, makeSession: makeSession)
    }

    deinit {
        listener?.cancel()
        broadcast.finish()
    }

    /// The list as it is kept now, whoever changed it last.
    ///
    /// - Throws: A `store…` code where it cannot be read, which is not the same as a list without accounts.
    public func content() async throws -> Content { try await look() }

    /// The list as it is now, then each change once, in order, whichever process made it.
    ///
    /// The stream ends with this object, or when its consumer stops.
    ///
    /// - Throws: As `content()`.
    public func contents() async throws -> AsyncStream<Content> {
        listen()
        try await look()
        return broadcast.stream()
    }

    /// The one live session of an account in this process.
    ///
    /// - Throws: `AuthError.unknownAccount`, a `store…` code, and what making the session throws.
    public func session(for id: String) async throws -> Session<Tokens> {
        guard let entry = try await look()[id] else {
            sessions[id] = nil
            throw AuthError.unknownAccount
        }
        return try session(of: entry)
    }

    /// The same, for an entry that is known to be in the list.
    private func session(of entry: AccountEntry) throws -> Session<Tokens> {
        if let session = sessions[entry.id] { return session }
        let name = "account.\(entry.id)"
        let store = SecretTokenStore<Tokens>(secrets, name: name, coordination: coordinate(name))
        let session = try makeSession(entry, store)
        sessions[entry.id] = session
        return session
    }
}

extension AccountList {
    /// Signs a person in: into their account, where the list has it, or into a new one; it becomes the current account.
    ///
    /// The account is listed before its tokens are stored and made current after, so that whatever comes in between no
    /// tokens lie around that no account leads to, and nobody is made current who is not signed in.
    ///
    /// - Parameters:
    ///   - name: What people call it; where another account has that name, a number is added.
    ///   - issuer: Who issued the tokens.
    ///   - username: What the person signs in with.
    ///   - userID: The issuer's identifier of the person.
    /// - Throws: A `store…` code; a new account is then taken out again.
    @discardableResult
    public func signIn(
        _ tokens: Tokens, as name: String, issuer: String, username: String? = nil, userID: String? = nil
    ) async throws -> AccountEntry {
        let wanted = AccountEntry(
            id: random.identifier(), name: name, issuer: issuer, username: username, userID: userID,
            scopes: tokens.grantedScopes)
        let entry = try await change(beginningAnew: true) { content in
            var entry = wanted
            if let known = content.entry(like: wanted) {
                entry = AccountEntry(
                    id: known.id, name: known.name, issuer: issuer, username: username ?? known.username,
                    userID: userID ?? known.userID, scopes: wanted.scopes)
            } else {
                entry.name = content.freeName(for: name)
            }
            content.put(entry)
            return entry
        }
        let session = try session(of: entry)
        do {
            try await session.signIn(tokens)
        } catch {
            if entry.id == wanted.id { await withdraw(entry) }
            throw error
        }
        do {
            try await use(entry.id)
        } catch AuthError.unknownAccount {
            // Another process has removed the account meanwhile, and means it.
            try await session.signOut()
            throw AuthError.unknownAccount
        }
        return entry
    }

    /// Takes a new account out again whose tokens could not be stored.
    private func withdraw(_ entry: AccountEntry) async {
        sessions[entry.id] = nil
        do {
            try await change { $0.remove(entry.id) }
        } catch {
            // Why the tokens could not be stored is what the caller is told; the account stays listed, signed out.
        }
    }

    /// Makes an account the current one.
    ///
    /// - Throws: `AuthError.unknownAccount`, or a `store…` code.
    public func use(_ id: String) async throws {
        try await change { content in
            guard content[id] != nil else { throw AuthError.unknownAccount }
            content.currentID = id
        }
    }

    /// Gives an account another name.
    ///
    /// - Throws: `AuthError.accountNameTaken`, `unknownAccount`, or a `store…` code.
    public func rename(_ id: String, to name: String) async throws {
        try await change { content in
            guard var entry = content[id] else { throw AuthError.unknownAccount }
            if let other = content.entry(named: name), other.id != id { throw AuthError.accountNameTaken }
            entry.name = name
            content.put(entry)
        }
    }

    /// Signs an account out on this device and takes it out of the list.
    ///
    /// - Returns: The tokens that were current, so that the issuer can be told; nil where nobody was signed in.
    /// - Throws: `AuthError.unknownAccount`, or a `store…` code; where the tokens could not be forgotten, the account is
    ///   still in the list.
    @discardableResult
    public func remove(_ id: String) async throws -> Tokens? {
        let last = try await session(for: id).signOut()
        try await change { $0.remove(id) }
        sessions[id] = nil
        return last
    }
}

extension AccountList {
    /// Reads the record, and tells who watches.
    @discardableResult
    private func look() async throws -> Content {
        let (record, broadcast) = (record, broadcast)
        return try await turn.take {
            do {
                let content = try await record.load()
                broadcast.send(content)
                return content
            } catch {
                throw AuthError.fromStore(error)
            }
        }
    }

    /// Reads the record, changes it and stores it, while no other process does the same.
    ///
    /// - Parameter beginningAnew: Whether a damaged list is set aside and a new one begun. Only a sign-in may do that: all
    ///   other changes are about accounts that the damaged list would have to name.
    private func change<Result: Sendable>(
        beginningAnew: Bool = false, _ body: @Sendable (inout Content) throws -> Result
    ) async throws -> Result {
        let (record, broadcast, coordination) = (record, broadcast, coordination)
        let result = try await turn.take {
            let others = try await coordination?.enter(.store)
            defer { others?.end() }
            do {
                var content: Content
                do {
                    content = try await record.load()
                } catch AuthError.storeCorrupt where beginningAnew {
                    try await record.setAside()
                    content = Content()
                }
                let before = content
                let result = try body(&content)
                if content != before || beginningAnew { try await record.save(content) }
                broadcast.send(content)
                return result
            } catch {
                throw AuthError.fromStore(error)
            }
        }
        await coordination?.announceChange()
        return result
    }

    /// Begins to listen to the other processes, once.
    private func listen() {
        guard listener == nil, let coordination else { return }
        let changes = coordination.changes()
        listener = Task { [weak self] in
            for await _ in changes { await self?.hasChanged() }
        }
    }

    /// Another process has changed the list.
    private func hasChanged() async {
        do {
            try await look()
        } catch {
            // Nobody waits here for an error: what cannot be read now is read at the next use or the next news.
        }
    }
}
