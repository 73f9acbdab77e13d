// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchSignIn
import LatchTexts

/// The page of an account: its profile, the ways to sign in, its devices and its apps.
package struct AccountOverview: Sendable {
    /// The path of the page.
    package static let path = "/account"

    package let store: IdentityStore
    package let clock: WallClock
    package let permitted: PermittedSignIns
    /// Whether users can verify a phone number.
    package let verifiesPhones: Bool
    package let sessions: AccountSessions

    package init(
        store: IdentityStore, clock: WallClock, permitted: PermittedSignIns, verifiesPhones: Bool,
        sessions: AccountSessions
    ) {
        self.verifiesPhones = verifiesPhones
        self.store = store
        self.clock = clock
        self.permitted = permitted
        self.sessions = sessions
    }

    private var signInPages: SignInPages { sessions.signInPages }
    private var upstreams: [UpstreamProvider] { signInPages.configuration.upstreams }

    /// A button of the page: the name of its field.
    enum Action: String, CaseIterable, Sendable {
        case signOutDevice = "sign-out-device"
        case signOutOthers = "sign-out-others"
        case withdraw
        case removePasskey = "remove-passkey"
        case connect, disconnect
        case export
        case keepAccount = "keep-account"
        case keepFactor = "keep-factor"
        case signOut = "sign-out"
    }

    /// What the page lists.
    private struct Parts {
        let account: Account
        let device: Device
        let devices: [Device]
        let consents: [Consent]
        let passkeys: [Passkey]
        let links: [UpstreamLink]
        /// The clients of the devices and consents, by their ID; without those that cannot be read now.
        let clients: [String: OAuthClient]
        let hasFactor: Bool
        let deletion: AccountDeletion?
        let factorRecovery: FactorRecovery?
    }

    /// Returns the page after a change that has increased the version of the account's credentials.
    ///
    /// - Throws: `IdentityError.loginEnded` if the change has ended the session, or a store's error.
    func page(
        after session: ActivePageSession, notice: Phrase?, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let (renewed, cookie) = try await sessions.pageSessions.renewed(session)
        return try await page(in: renewed, request, notice: notice).setting(cookie)
    }

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - notice: The result of the last change.
    ///   - problem: The reason why the last change was not made.
    func page(
        in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context.accepting(request)
        let parts = try await parts(of: session)
        let sections = [
            pending(
                "page.account.deletion.pending", "page.account.deletion.due", at: parts.deletion?.dueAt,
                button(.keepAccount, "page.account.deletion.keep", in: context), context),
            pending(
                "page.account.factorLost.pending", "page.account.factorLost.due", at: parts.factorRecovery?.dueAt,
                button(.keepFactor, "page.account.factorLost.keep", in: context), context),
            profile(parts, context), ways(parts, context),
            providers(parts, context),
            devices(parts, context), apps(parts, context), data(parts, context),
        ]
        let page = HTMLPage(
            Phrase("page.account.title"), text: Phrase("page.account.text", .text(parts.account.label)),
            notice: notice, problem: problem?.pageProblem, sections: sections.compactMap(\.self), action: Self.path,
            carrying: try sessions.seal(Self.path, in: session, browser: browser),
            others: [button(.signOut, "page.signOut.submit", in: context)],
            links: parts.account.isAdministrator ? [(AdminRoutes.path, Phrase("page.account.admin"))] : [],
            appLink: signInPages.configuration.appURL.map { ($0, Phrase("page.button.backToApp")) }, in: context)
        // A button leads to a provider.
        return page.response(status: problem?.form.status ?? .ok, leadsAway: !upstreams.isEmpty)
            .failing(with: problem).setting(cookie)
    }

    private func parts(of session: ActivePageSession) async throws(IdentityError) -> Parts {
        let id = session.account.id
        // An earlier sign-in of this browser is the same session, and its end would be that of this one, too.
        let devices = try await store.devices(of: id, at: clock.now).filter {
            $0.id == session.device.id || $0.clientID != Device.pagesClientID
                || $0.browserSession != session.device.browserSession
        }
        let consents = try await store.consents(of: id)
        var clients: [String: OAuthClient] = [:]
        for client in Set(devices.compactMap(\.clientID) + consents.map(\.clientID)) {
            do throws(IdentityError) {
                clients[client] = try await signInPages.clients.client(client)
            } catch  where error == .unusableDocument("") {
                // The document of a client may be gone, and its user must still be able to withdraw it.
                continue
            }
        }
        return Parts(
            account: try await store.account(id: id) ?? session.account, device: session.device, devices: devices,
            consents: consents, passkeys: try await store.passkeys(of: id), links: try await store.links(of: id),
            clients: clients, hasFactor: try await store.secondFactor(of: id, isConfirmed: true) != nil,
            deletion: try await store.deletion(of: id), factorRecovery: try await store.factorRecovery(of: id))
    }

    // MARK: Sections

    private func link(_ path: String, _ key: String, in context: PageContext) -> HTMLPage.Link {
        HTMLPage.Link(context.url(path), context.texts(Phrase(key)))
    }

    private func button(_ action: Action, _ key: String, value: String = "yes", in context: PageContext)
        -> HTMLPage.Button<String>
    {
        .init(action.rawValue, context.texts(Phrase(key)), value: value)
    }

    private func profile(_ parts: Parts, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let account = parts.account
        return HTMLSection(
            texts(Phrase("page.account.profile")),
            entries: [
                .init(
                    account.name ?? texts(Phrase("page.account.noName")),
                    details: [texts(Phrase("page.account.name"))],
                    links: [link(AccountChange.name.path, "page.account.change", in: context)]),
                email(account, context), phone(account, context),
            ].compactMap(\.self) + attributes(account, context))
    }

    /// Returns the phone number, and nil where none can be verified.
    private func phone(_ account: Account, _ context: PageContext) -> HTMLSection.Entry? {
        guard verifiesPhones || account.phone != nil else { return nil }
        let texts = context.texts
        let state = account.phoneVerifiedAt == nil ? "page.account.phone.unverified" : "page.account.phone.verified"
        return .init(
            account.phone?.text ?? texts(Phrase("page.account.phone.none")),
            details: [texts(Phrase("page.account.phone")), account.phone.map { _ in texts(Phrase(state)) }]
                .compactMap(\.self),
            links: [
                link(
                    PhonePageRoutes.path, account.phone == nil ? "page.account.add" : "page.account.change",
                    in: context)
            ])
    }

    /// Returns the attributes that the owner reads, and those without a value that the owner can set.
    private func attributes(_ account: Account, _ context: PageContext) -> [HTMLSection.Entry] {
        AttributeRules(signInPages.configuration).all.compactMap { attribute in
            let value = account.attributes[attribute.name]
            guard attribute.reader == .user, value != nil || attribute.hasField else { return nil }
            return .init(
                value?.shown(in: context.texts) ?? context.texts(Phrase("page.account.attributes.none")),
                details: [attribute.name],
                links: attribute.hasField
                    ? [link(AccountAttributeRoutes.path, "page.account.change", in: context)] : [])
        }
    }

    private func email(_ account: Account, _ context: PageContext) -> HTMLSection.Entry {
        let texts = context.texts
        guard let email = account.email?.text else {
            return .init(
                texts(Phrase("page.account.email.none")), details: [texts(Phrase("page.account.email.register"))])
        }
        guard account.emailVerifiedAt != nil else {
            return .init(
                email, details: [texts(Phrase("page.account.email.unverified"))],
                links: [
                    link(MailRequestPages.Kind.verification.path, "page.account.email.confirm", in: context),
                    account.passwordHash == nil
                        ? nil : link(AccountChange.email.path, "page.account.change", in: context),
                ].compactMap(\.self))
        }
        // The pages behind the mailed links ask for the password.
        guard hasPassword(account) else {
            let advice = permitted.permits(.password) ? texts(Phrase("page.account.email.password")) : nil
            return .init(
                email, details: [texts(Phrase("page.account.email.verified")), advice].compactMap(\.self))
        }
        return .init(
            email, details: [texts(Phrase("page.account.email.verified"))],
            links: [link(AccountChange.email.path, "page.account.change", in: context)])
    }

    private func ways(_ parts: Parts, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let factor = HTMLSection.Entry(
            texts(Phrase("page.account.factor")),
            details: [texts(Phrase(parts.hasFactor ? "page.account.factor.on" : "page.account.factor.off"))],
            links: [
                link(
                    SecondFactorPageRoutes.path, parts.hasFactor ? "page.account.change" : "page.account.factor.setUp",
                    in: context)
            ])
        return HTMLSection(
            texts(Phrase("page.account.ways")),
            entries: [permitted.permits(.password) ? password(parts.account, context) : nil, factor]
                .compactMap(\.self) + passkeys(parts, context))
    }

    /// Whether an account has a password that works.
    private func hasPassword(_ account: Account) -> Bool {
        account.passwordHash != nil && permitted.permits(.password)
    }

    private func password(_ account: Account, _ context: PageContext) -> HTMLSection.Entry {
        let texts = context.texts
        guard account.passwordHash == nil else {
            return .init(
                texts(Phrase("page.field.password")),
                details: [texts(Phrase("page.account.password.since", .date(account.passwordChangedAt)))],
                links: [link(AccountChange.password.path, "page.account.change", in: context)])
        }
        // The email is the first proof of the owner, which ends what was set before (decision 0050).
        let loss = account.ownerProvedAt == nil ? texts(Phrase("page.account.password.loss")) : nil
        return .init(
            texts(Phrase("page.field.password")),
            details: [texts(Phrase("page.account.password.none")), loss].compactMap(\.self),
            links: [link(MailRequestPages.Kind.password.path, "page.account.password.set", in: context)])
    }

    private func passkeys(_ parts: Parts, _ context: PageContext) -> [HTMLSection.Entry] {
        let texts = context.texts
        let party = permitted.relyingPartyID
        let known = parts.passkeys.map { passkey in
            HTMLSection.Entry(
                passkey.name,
                details: [
                    texts(Phrase("page.account.passkey", .date(passkey.createdAt))),
                    passkey.isUsable(at: party)
                        ? passkey.lastUsedAt.map { texts(Phrase("page.account.used", .date($0))) }
                        : texts(Phrase("page.account.passkey.unusable")),
                ].compactMap(\.self),
                button: button(.removePasskey, "page.account.remove", value: passkey.publicID, in: context),
                links: [link(PasskeyPageRoutes.path(of: passkey), "page.account.rename", in: context)])
        }
        guard party != nil, parts.passkeys.count < Passkey.maximumCount else { return known }
        return [
            .init(
                texts(Phrase("page.account.passkeys")), details: [texts(Phrase("page.account.passkeys.why"))],
                links: [link(PasskeyPageRoutes.path, "page.account.add", in: context)])
        ] + known
    }

    private func providers(_ parts: Parts, _ context: PageContext) -> HTMLSection? {
        let texts = context.texts
        let linked = parts.links.map { link in
            let name = upstreams.first { $0.name == link.identity.provider }?.displayName ?? link.identity.provider
            return HTMLSection.Entry(
                name,
                details: [
                    link.identity.email?.text, texts(Phrase("page.account.provider.since", .date(link.linkedAt))),
                ].compactMap(\.self),
                button: button(.disconnect, "page.account.disconnect", value: link.identity.provider, in: context))
        }
        let others = upstreams.filter { provider in !parts.links.contains { $0.identity.provider == provider.name } }
            .map {
                HTMLSection.Entry(
                    $0.displayName, details: [texts(Phrase("page.account.provider.none"))],
                    button: button(.connect, "page.account.connect", value: $0.name, in: context))
            }
        let entries = linked + others
        return entries.isEmpty ? nil : HTMLSection(texts(Phrase("page.account.providers")), entries: entries)
    }

    private func devices(_ parts: Parts, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        return HTMLSection(
            texts(Phrase("page.account.devices")),
            entries: parts.devices.map { device in
                let isThis = device.id == parts.device.id
                return .init(
                    name(of: device, parts, texts),
                    details: [device.address, texts(Phrase("page.account.used", .date(device.lastUsedAt)))]
                        .compactMap(\.self),
                    mark: isThis ? texts(Phrase("page.account.device.this")) : nil,
                    button: isThis
                        ? nil
                        : button(.signOutDevice, "page.account.device.end", value: device.publicID, in: context))
            },
            button: parts.devices.count > 1
                ? button(.signOutOthers, "page.account.signOutOthers", in: context) : nil)
    }

    /// Returns the name of a device for its owner: the app, or the browser and the system.
    private func name(of device: Device, _ parts: Parts, _ texts: Texts) -> String {
        if let id = device.clientID, id != Device.pagesClientID { return name(of: id, at: nil, parts, texts) }
        return UserAgentDescription(of: device).text ?? texts(Phrase("page.account.device.unknown"))
    }

    /// Returns the name of a client, with the host of one that has named itself.
    private func name(of id: String, at redirect: String?, _ parts: Parts, _ texts: Texts) -> String {
        guard let client = parts.clients[id] else { return id }
        let shown = ShownClient(client, receiving: redirect, in: texts.language)
        return client.registersItself ? shown.name : client.presentation.name(in: texts.language) ?? id
    }

    private func apps(_ parts: Parts, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let byClient = Dictionary(grouping: parts.consents, by: \.clientID).sorted { $0.key < $1.key }
        return HTMLSection(
            texts(Phrase("page.account.apps")),
            text: byClient.isEmpty ? texts(Phrase("page.account.apps.none")) : nil,
            entries: byClient.map { id, consents in
                let scopes = Set(consents.flatMap { $0.scopes.elements.map { texts(signInPages.text(of: $0)) } })
                return .init(
                    name(of: id, at: consents.first?.redirectOrigin, parts, texts), details: scopes.sorted(),
                    button: button(.withdraw, "page.account.apps.withdraw", value: id, in: context))
            })
    }

    private func data(_ parts: Parts, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let deletion: [HTMLSection.Entry] =
            parts.deletion != nil
            ? []
            : [
                .init(
                    texts(Phrase("page.account.deletion.title")), details: [texts(Phrase("page.account.deletion.why"))],
                    links: [link(AccountDataRoutes.deletionPath, "page.account.delete", in: context)])
            ]
        return HTMLSection(
            texts(Phrase("page.account.data")),
            entries: [
                .init(
                    texts(Phrase("page.account.activity.title")), details: [texts(Phrase("page.account.activity.why"))],
                    links: [link(AccountDataRoutes.activityPath, "page.account.show", in: context)]),
                .init(
                    texts(Phrase("page.account.export.title")), details: [texts(Phrase("page.account.export.why"))],
                    button: button(.export, "page.account.download", in: context)),
            ] + deletion)
    }

    /// Returns what happens at a date unless the user cancels it; nil without a date.
    private func pending(
        _ title: String, _ due: String, at date: Date?, _ cancellation: HTMLPage.Button<String>, _ context: PageContext
    ) -> HTMLSection? {
        guard let date else { return nil }
        let texts = context.texts
        return HTMLSection(
            texts(Phrase(title)), entries: [.init(texts(Phrase(due, .text(date.textInUTC))), button: cancellation)])
    }
}

extension AccountOverview.Action {
    /// The result of the change, for the page that follows; nil for a button that leads to another one.
    var notice: Phrase? {
        switch self {
        case .signOutDevice: Phrase("page.account.done.signOutDevice")
        case .signOutOthers: Phrase("page.account.done.signOutOthers")
        case .withdraw: Phrase("page.account.done.withdraw")
        case .removePasskey: Phrase("page.account.done.removePasskey")
        case .disconnect: Phrase("page.account.done.disconnect")
        case .keepAccount: Phrase("page.account.done.keepAccount")
        case .keepFactor: Phrase("page.account.done.keepFactor")
        case .connect, .export, .signOut: nil
        }
    }
}
