import numpy as np
from rnnviz.maths.jacobians import step_jacobians
def _blk(P,H,block,kind):
    if kind!="lstm" or block=="state": return P
    return P[..., :H, :H] if block=="h" else P[..., H:, H:]
def log10_gradient_norms(trace,*,block="h",norm="spectral"):
    J=step_jacobians(trace); H=trace.cell.hidden_size; S=J.shape[1]
    P=np.eye(S); e=0.; out=[]
    def n(P):
        B=_blk(P,H,block,trace.cell.kind); v=np.linalg.norm(B,2 if norm=="spectral" else None)
        return np.log10(v) if v>0 else -np.inf
    out.append(n(P))
    for Jk in J[::-1]:
        P=P@Jk; s=np.abs(P).max() or 1.; P=P/s; e+=np.log10(s); out.append(n(P)+e)
    return np.array(out[::-1])
def log10_gradient_norm_grid(trace,*,block="h",norm="fro"):
    T=trace.steps; g=np.full((T+1,T+1),-np.inf)
    J=step_jacobians(trace); H=trace.cell.hidden_size
    Ps=np.eye(J.shape[1])[None]; e=np.zeros(1)
    for t in range(0,T+1):
        if t:
            Ps=np.concatenate([J[t-1]@Ps,np.eye(J.shape[1])[None]]); s=np.abs(Ps).max((1,2)); s[s==0]=1; Ps=Ps/s[:,None,None]; e=np.concatenate([e,[0]])+np.log10(s)
        B=_blk(Ps,H,block,trace.cell.kind)
        with np.errstate(divide="ignore"): g[t,:t+1]=np.log10(np.sqrt((B**2).sum((1,2))))+e
    return g

def lyapunov_exponents(trace):
    J=step_jacobians(trace); Q=np.eye(J.shape[1]); e=np.zeros(J.shape[1])
    for Jk in J:
        Q,R=np.linalg.qr(Jk@Q)
        with np.errstate(divide="ignore"): e+=np.log(np.abs(np.diag(R)))
    return np.sort(e/len(J))[::-1]
