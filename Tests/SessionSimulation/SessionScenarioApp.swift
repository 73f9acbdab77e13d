// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth

// The parts of an app: its store, its session, its client.

extension SessionScenario {
    /// Creates a session as an app does, in the simulated environment.
    func makeSession(in process: SimulatedProcess, _ files: SimulatedFileLocks?) -> Session<Tokens> {
        let store = makeStore(in: process, files)
        if life.way == .tokenEndpoint, let session = makeSession(over: store, in: process) { return session }
        let revoke: @Sendable (Tokens) async -> RevocationOutcome = { [weak self] tokens in
            self?.judge(revocationOf: tokens.access)
            return await self?.revoke(tokens) ?? .unavailable
        }
        let refresh: Session<Tokens>.Refresh = { [network, weak self] request in
            let token = request.credential.refresh ?? ""
            self?.judge(refreshOf: token, by: process)
            let answer = try await network.refresh(token, key: request.idempotencyKey, by: process)
            self?.hears(answer, process)
            return network.read(answer)
        }
        return Session(
            store: store, policy: policy, clock: simulation.clock, random: simulation.random, executor: process,
            issuer: nil, revoke: defect == .droppedSuccessorsKept ? nil : revoke, refresh: refresh)
    }

    /// Creates a session that refreshes at a token endpoint.
    private func makeSession(over store: any TokenStore<Tokens>, in process: SimulatedProcess) -> Session<Tokens>? {
        let endpoint = SimulatedTokenEndpoint(
            network: network, process: process,
            onRefresh: { [weak self] in self?.judge(refreshOf: $0, by: process) },
            onAnswer: { [weak self] in self?.hears($0, process) },
            onRevocation: { [weak self] in self?.judge(revocationOf: $0) })
        do {
            return Session(
                tokenEndpoint: try endpoint.client(revokes: defect != .droppedSuccessorsKept), store: store,
                policy: policy, random: simulation.random, executor: process)
        } catch {
            violated("there is no token endpoint: \(error)")
            return nil
        }
    }

    private func makeStore(in process: SimulatedProcess, _ files: SimulatedFileLocks?) -> any TokenStore<Tokens> {
        let locks: (any SessionCoordination)? =
            files ?? SimulatedCoordination(disk: disk, process: process, network: network, observers: lockObservers)
        let records = SimulatedStore(
            disk: disk, process: process, network: network, kind: store,
            onLook: { [weak self] in self?.diskIsRead(by: $0) },
            onChange: { [weak self] in self?.diskHasChanged(by: $0, from: $1, to: $2) },
            onForget: { [weak self] in self?.diskIsForgotten(by: $0) },
            onFailure: { [weak self] in self?.storeHasFailed($0) },
            coordination: store == .shared ? locks : nil)
        if store == .plain { return SimulatedPlainStore(store: records) }
        guard life.isSecret else { return records }
        return SecretTokenStore(
            SimulatedSecretStore(store: records), name: SimulatedSecretStore.name, coordinatedBy: records.coordination)
    }

    /// Creates the client of the resource, with the session's interceptor.
    func makeClient(of session: Session<Tokens>, in process: SimulatedProcess) -> any Handler {
        let isDateTrusted = defect == .resourceDateTrusted
        let resource = ClosureHandler { [network, simulation, weak self, weak session] request in
            self?.judge(request, from: process)
            let sent = simulation.now
            let response: HTTPResponse
            do { response = try await network.answer(request) } catch {
                self?.arrived(request, from: process)
                throw error
            }
            self?.arrived(request, from: process)
            if isDateTrusted, let date = response.fields[.date].flatMap(HTTPDate.init)?.date {
                session?.observe(issuerDate: date, ofRequestSentAt: sent)
            }
            return response
        }
        return resource.intercepted(by: [SessionInterceptor(session, for: .host("api.example.com"))])
    }
}
