// SPDX-License-Identifier: Apache-2.0

@_exported public import AxiomCore
@_exported public import LatchRPC

/// A service client under Axiom's name: an actor with a state, a stream of states, and actions.
public protocol AxiomClient<StateType, ActionType>: ServiceClient where StateType: AxiomState {}

/// The state of a client under Axiom's name.
public protocol AxiomState: ServiceState where Failure == AxiomError {}

/// An action of a client under Axiom's name.
public typealias AxiomAction = ServiceAction
