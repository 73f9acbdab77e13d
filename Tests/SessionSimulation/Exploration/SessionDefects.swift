// SPDX-License-Identifier: Apache-2.0

import LatchAuth

// The rules of the session, each of them broken from outside: a machine that forgets it, or effects that are tampered with.

extension SessionExploration {
    /// The defects that the exploration is to find.
    package static let defects: [Defect] = [
        defect(
            .init("the running refresh is not shared") { machine, event in
                if case .use = event { machine.refresh = nil }
            }, { $0.processes = 1 }
        ) { _ in },
        defect(
            .init("any failure of a refresh ends the session") { _, event in
                guard case .responded(let id, .failed(let failure)) = event else { return }
                event = .responded(request: id, .failed(IssuerFailure(.ended, failure.error)))
            }, { $0.processes = 1 }
        ) { $0.faults = 1 },
        defect(
            .init("a successor that cannot be stored is forgotten") { machine, _, _ in
                if machine.unstored?.retry != nil { machine.unstored = nil }
            }, { ($0.processes, $0.issuer) = (1, .strict(replays: 0)) }
        ) { $0.faults = 1 },
        defect(
            .init("a store that cannot be read counts as empty") { _, event in
                if case .loaded(.failure) = event { event = .loaded(.success(nil)) }
            }
        ) { ($0.faults, $0.kills) = (1, 1) },
        defect(
            .init("the late refusal of an old credential causes a refresh") { machine, event in
                guard case .use(let waiter, var use) = event, case .replacing = use.need,
                    let current = machine.state.credential
                else { return }
                use.need = .replacing(current)
                event = .use(waiter, use)
            }
        ) { $0.lateRefusals = 1 },
        defect(
            .init("a refresh is repeated under another key") { _, effects, _ in
                effects = effects.map { effect in
                    guard case .request(let id, let request) = effect else { return effect }
                    return .request(
                        id: id,
                        RefreshRequest(
                            credential: request.credential, idempotencyKey: "\(request.idempotencyKey), \(id)"))
                }
            }, { $0.processes = 1 }
        ) { $0.faults = 1 },
        defect(
            .init("the record is not read under the lock") { machine, event in
                guard case .loaded(.success(let record)) = event, case .prepare? = machine.operations.first?.kind else {
                    return
                }
                event = .loaded(
                    .success(
                        TokenRecord(
                            credential: machine.state.credential, sessionID: record?.sessionID)))
            }
        ) { $0.refusals = 2 },
        defect(
            .init("the key is not stored before the request") { _, effects, _ in
                effects = effects.map { effect in
                    guard case .save(var record?) = effect else { return effect }
                    record.refreshKey = nil
                    return .save(record)
                }
            }
        ) { ($0.kills, $0.refusals) = (1, 2) },
        defect(
            .init("a busy lock counts as free") { _, event in
                if case .entered(.refresh, .occupied) = event { event = .entered(.refresh, .entered) }
            }, { $0.issuer = .strict(replays: 0) }
        ) { $0.refusals = 2 },
        defect(
            .init("the lock is released although the successor is not stored") { machine, effects, _ in
                guard machine.unstored?.retry != nil, machine.lock == .held else { return }
                machine.lock = .none
                effects.append(.leave(.refresh))
            }, { $0.issuer = .strict(replays: 0) }
        ) { ($0.faults, $0.refusals) = (1, 2) },
        defect(
            .init("a response is stored over what another session has stored") { machine, event in
                guard case .loaded(.success) = event, case .commit? = machine.operations.first?.kind,
                    let predecessor = machine.unstored?.predecessor
                else { return }
                event = .loaded(.success(TokenRecord(credential: predecessor, sessionID: machine.facts.sessionID)))
            }
        ) { $0.signOuts = 1 },
        defect(
            .init("the record is not read again before a session says that it is signed out") { _, event in
                guard case .use(let waiter, var use) = event else { return }
                use.isConfirmed = true
                event = .use(waiter, use)
            }
        ) { ($0.signOuts, $0.signIns) = (1, 1) },
        defect(
            .init("a step-up continues with the refresh token that another process has used") { machine, event in
                guard case .loaded(.success(let record?)) = event, machine.operations.first?.isStepUp == true else {
                    return
                }
                event = .loaded(
                    .success(TokenRecord(credential: machine.state.credential, sessionID: record.sessionID)))
            }, { $0.stepUpsAreGrants = false }
        ) { $0.stepUps = 1 },
        defect(
            .init("a rotation that could not be stored is forgotten") { machine, _, _ in
                if machine.unstored?.isRotation == true { machine.unstored = nil }
            }, { $0.processes = 1 }
        ) { ($0.rotations, $0.faults) = (1, 1) },
        defect(
            .init("a rejected repetition gets another key") { machine, event in
                if case .responded = event { machine.exchange?.mayHaveArrived = false }
            }, { $0.processes = 1 }
        ) { ($0.refusals, $0.faults, $0.ticks) = (2, 2, 2) },
        defect(
            .init("a caller that has left is continued") { machine, event in
                if case .left = event { event = .timePassed }
            }, { $0.processes = 1 }
        ) { $0.leavers = 1 },
        defect(
            .init("the lock is kept while the program is suspended") { machine, effects, event in
                guard case .suspendNow = event else { return }
                effects.removeAll { if case .leave(.refresh) = $0 { true } else { false } }
            }, { $0.processes = 1 }
        ) { $0.suspensions = 1 },
        defect(
            .init("a credential is used before it is stored") { machine, _, event in
                guard case .responded = event, let fresh = machine.unstored?.value else { return }
                machine.state = .signedIn(fresh)
            }
        ) { _ in },
        defect(
            .init("a credential is used though the record is read to hold none") { machine, _, _ in
                machine.isContradicted = false
            }
        ) { ($0.signOuts, $0.refusals, $0.uses) = (1, 1, 2) },
        defect(
            .init("a time limit ends the request") { machine, _, event in
                guard case .timePassed = event, machine.refresh == nil else { return }
                machine.exchange?.flight = nil
            }, { ($0.processes, $0.issuer) = (1, .strict(replays: 0)) }
        ) { ($0.ticks, $0.refusals, $0.uses) = (4, 1, 2) },
        defect(
            .init("the refusal of a resource ends the session") { machine, event in
                if case .responded(_, .failed(let failure)) = event, failure.kind == .ended {
                    machine.exchange?.target = nil
                }
            },
            {
                ($0.processes, $0.failing) = (1, [0])
                $0.failures = [.refused]
            }
        ) { ($0.targets, $0.uses) = (1, 1) },
        defect(
            .init("the requests for a resource that does not answer are not counted") { machine, _ in
                machine.exchange?.requests = 0
            },
            {
                ($0.processes, $0.failing, $0.recoveries) = (1, [0], 1)
                $0.failures = [.unanswered]
            }
        ) { ($0.targets, $0.uses) = (1, 1) },
        defect(
            .init("the interaction that a resource requires holds up the session") { machine, _, _ in
                let end = Duration.seconds(100_000)
                guard var pause = machine.pauses[ExploredTicket.targets[0]] else { return }
                (pause.end, pause.bindingEnd) = (end, end)
                machine.pauses[nil] = pause
            },
            {
                ($0.processes, $0.failing, $0.recoveries) = (1, [0], 1)
                $0.failures = [.userRequired]
            }
        ) { ($0.targets, $0.uses) = (1, 1) },
        defect(
            .init("an answer that is not usable as a whole is dropped") { _, event in
                guard case .responded(let id, .incomplete(_, let failure)) = event else { return }
                event = .responded(request: id, .failed(failure))
            }, { ($0.processes, $0.issuer) = (1, .strict(replays: 0)) }
        ) { ($0.faults, $0.refusals) = (1, 2) },
        defect(
            .init("the refusal of a gateway ends the session") { _, event in
                guard case .responded(let id, .failed(let failure)) = event, failure.kind == .doubted else { return }
                event = .responded(request: id, .failed(IssuerFailure(.ended, failure.error)))
            }, { $0.processes = 1 }
        ) { $0.faults = 1 },
        defect(
            .init("a process ends while a request is in flight") { machine, effects, event in
                guard case .rest(let waiter, suspends: false) = event else { return }
                machine.awaitingRest = [:]
                effects.append(.resume(waiter, .success(nil)))
            }, { $0.processes = 1 }
        ) { $0.rests = 1 },
        defect(
            .init("an answer that comes after the sign-out is dropped") { _, effects, event in
                guard case .responded = event else { return }
                effects.removeAll { if case .revoke = $0 { true } else { false } }
            }, { ($0.processes, $0.issuer) = (1, .rotating) }
        ) { $0.signOuts = 1 },
    ]
}
