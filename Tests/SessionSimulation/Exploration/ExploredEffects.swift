// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchTesting

// The effects of the machines, and their ends.

extension ExploredWorld {
    func moment(of process: ExploredProcess) -> SessionMoment {
        // Identifiers that no other event has, and no random share of anything.
        let seed = UInt64(process.start * 16 + signIns) * 256 + UInt64(process.machine.requestCount)
        return SessionMoment(
            date: Self.date(time + process.skew), uptime: .seconds(time * 10), random: RandomSource { seed })
    }

    mutating func send(_ event: Machine.Event, to number: Int) {
        var event = event
        var machine = processes[number].machine
        mutation?.value.before(&machine, &event)
        if case .loaded(.success(let record)) = event { learn(record, number) }
        if case .saved(nil) = event, case .saving(let record)? = machine.operations.first?.phase {
            learn(record, number)
        }
        if case .responded(let id, let answer) = event { hears(answer, id: id, number) }
        var effects = machine.handle(event, moment(of: processes[number]))
        mutation?.value.after(&machine, &effects, event)
        processes[number].machine = machine
        for effect in effects { perform(effect, in: number) }
    }

    /// Notes the newest refresh token that the session has received.
    private mutating func hears(_ answer: Machine.Answer, id: Int, _ number: Int) {
        guard processes[number].machine.exchange?.flight == id else { return }
        switch answer {
        case .issued(let ticket, _), .incomplete(let ticket, _):
            guard ticket.isRefreshable else { return }
            received[ticket.family] = max(received[ticket.family] ?? 0, ticket.number)
        case .failed, .withdrawn: return
        }
    }

    private mutating func learn(_ record: TokenRecord<ExploredTicket>?, _ number: Int) {
        guard setting.isShared else { return }
        processes[number].known = ExploredProcess.Known(family: record?.credential?.family)
    }

    private mutating func perform(_ effect: Machine.Effect, in number: Int) {
        switch effect {
        case .enter(let section, let waits):
            processes[number].pending.append(.enter(section, waits: waits, isCalledBack: false))
        case .leaveQueue(let section):
            processes[number].pending = processes[number].pending.map { pending in
                guard case .enter(section, let waits, _) = pending else { return pending }
                return .enter(section, waits: waits, isCalledBack: true)
            }
        case .leave(let section):
            if holders[section] != number { violation = violated("\(number) leaves \(section) without being inside") }
            holders[section] = nil
        case .load: processes[number].pending.append(.load)
        case .save(let record): processes[number].pending.append(.save(record))
        case .announce:
            for other in processes.indices where other != number { processes[other].isNotified = true }
        case .request(let id, let request): send(request, id: id, from: number)
        case .authenticate(let id, _, _): processes[number].pending.append(.authentication(id: id))
        case .cancelAuthentication:
            processes[number].pending.removeAll { if case .authentication = $0 { true } else { false } }
        case .revoke(let ticket, _): processes[number].pending.append(.revocation(ticket))
        case .resume(let waiter, let result): resumed(waiter, result, in: number)
        case .publish, .publishStepUp: break
        }
    }

    private mutating func send(_ request: RefreshRequest<ExploredTicket>, id: Int, from number: Int) {
        let ticket = request.credential
        let token = ticket.credential(for: request.target)
        let isDue =
            token.map { token in
                refused.contains { $0.hasSameAccessToken(as: token) }
                    || time >= token.access.born + ExploredTicket.life - 1
            } ?? true
        let isRepetition = keys[request.idempotencyKey] == [ticket.family, ticket.number]
        keys[request.idempotencyKey] = [ticket.family, ticket.number]
        if !isDue, !isRepetition, processes[number].skew == 0 {
            violation = violated("\(ticket) is refreshed for no reason")
        }
        processes[number].pending.append(.request(id: id, ticket, key: request.idempotencyKey, request.target))
    }

    mutating func end(_ place: Int, in number: Int, _ ending: Step.Ending) {
        let pending = processes[number].pending.remove(at: place)
        if isFault(ending, of: pending) { budget.faults -= 1 }
        let failure = SessionFailure(AuthError.storeLocked)
        switch (pending, ending) {
        case (.enter(let section, _, _), .well):
            holders[section] = number
            send(.entered(section, .entered), to: number)
        case (.enter(let section, _, _), .occupied): send(.entered(section, .occupied(by: "x")), to: number)
        case (.enter(let section, _, _), _): send(.entered(section, .failed(failure)), to: number)
        case (.load, .well):
            processes[number].isCurrent = true
            guard setting.isShared, processes[number].machine.operations.first?.readsOnly == true else {
                return send(.loaded(.success(record)), to: number)
            }
            processes[number].pending.append(.loaded(record))
        case (.load, _):
            // Whether the record was changed stays unknown.
            if case .verifying? = processes[number].machine.operations.first?.phase { isSilent = true }
            send(.loaded(.failure(failure)), to: number)
        case (.loaded(let record), _): send(.loaded(.success(record)), to: number)
        case (.save(let new), .well):
            write(new, by: number)
            processes[number].pending.append(.saved)
        case (.save(let new), .failedAfterwards):
            write(new, by: number)
            send(.saved(failure), to: number)
        case (.save, _): send(.saved(failure), to: number)
        case (.saved, _): send(.saved(nil), to: number)
        case (.request(let id, _, _, _), .withdrawn):
            processes[number].isWithdrawn = false
            send(.responded(request: id, .withdrawn), to: number)
        case (.request(let id, let ticket, let key, _), _): answer(id, ticket, key, ending, in: number)
        case (.response(let id, let ticket, _), .lost):
            issuer.lose(ticket)
            send(.responded(request: id, answer(of: .lost)), to: number)
        case (.response(let id, _, let response), _):
            if response == .doubted, doubted == nil { doubted = time }
            send(.responded(request: id, answer(of: response)), to: number)
        case (.revocation(let ticket), .well): revoke(ticket)
        case (.revocation(let ticket), _): toRevoke.append(ticket)
        case (.authentication(let id), .well):
            stepUps += 1
            var ticket = ExploredTicket(family: 0, number: 0, born: time, strength: stepUps)
            ticket.isRefreshable = false
            if setting.stepUpsAreGrants { ticket = issuer.signIn(at: time, strength: stepUps) }
            send(.authenticated(request: id, .success(ticket)), to: number)
        case (.authentication(let id), _): send(.authenticated(request: id, .failure(failure)), to: number)
        }
    }

    /// Tells the issuer that a session was left, while nobody is signed in: some know one grant for a user and a client.
    private mutating func revoke(_ ticket: ExploredTicket) {
        guard record?.credential == nil else { return toRevoke.append(ticket) }
        issuer.revoke(ticket)
    }

    private mutating func answer(
        _ id: Int, _ ticket: ExploredTicket, _ key: String, _ ending: Step.Ending, in number: Int
    ) {
        var response: ExploredResponse
        switch ending {
        case .well, .incomplete: response = issuer.respond(to: ticket, key: key, at: time)
        case .failed: response = .unavailable
        case .rejected: response = .rejected
        case .refused: response = .ended
        case .userRequired: response = .userRequired
        case .doubted: response = .doubted
        default: response = .lost
        }
        if ending == .incomplete, case .success(let ticket) = response { response = .incomplete(ticket) }
        violation = violation ?? issuer.violation
        processes[number].pending.append(.response(id: id, to: ticket, response))
        guard ending == .well else { return }
        // A connection that was closed before a later request was answered carries nothing any more.
        orphans.removeAll { orphan in
            guard case .request(_, let old, _, _) = orphan else { return false }
            return old.family == ticket.family && old.number < ticket.number
        }
    }

    private func answer(of response: ExploredResponse) -> Machine.Answer {
        switch response {
        case .success(let ticket): .issued(ticket, clockOffset: nil)
        case .incomplete(let ticket): .incomplete(ticket, IssuerFailure(.unanswered, AuthError.invalidTokenResponse))
        case .ended: .failed(IssuerFailure(.ended, AuthError.reauthenticationRequired))
        case .doubted: .failed(IssuerFailure(.doubted, AuthError.refreshFailed))
        case .userRequired: .failed(IssuerFailure(.userRequired(StepUpRequirement()), AuthError.stepUpRequired))
        case .rejected: .failed(IssuerFailure(.rejected, AuthError.refreshFailed))
        case .unavailable: .failed(IssuerFailure(.failed, AuthError.refreshFailed))
        case .lost: .failed(IssuerFailure(.unanswered, AuthError.refreshFailed))
        }
    }
}
